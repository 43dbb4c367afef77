-- Words with letters that the index does not fold are in it a second time without them: "straße" as "strasse".
update passage_fts set grams = index_grams(body) where body glob '*[ßẞłŁıøØæÆœŒđĐðÐþÞħĦ]*';
