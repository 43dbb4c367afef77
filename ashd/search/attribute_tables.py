"""What is asked for in other languages than English and how people state it (rows D7, D11).

The commonest attributes alone, as `attributes` has them for English. General words, written for
this purpose and not drawn from any data set. A line has what asks, with commas; after a > the word
of the English table under which agents who take notes in English have it; after a colon the words
that state it. _ joins those that belong together.
"""

from typing import Final

TABLES: Final = {
    "de": """
wohne, wohnen, wohnst, wohnt, wohnort, lebe, leben, adresse, anschrift, zuhause > live:
  gezogen umgezogen ziehen wohnung haus miete strasse straße
komme ich, herkunft, heimat, geburtsort > originally: geboren aufgewachsen stamme komme heimat
beruf, job, arbeit, arbeite, arbeiten, arbeitet, arbeitgeber, beruflich, stelle, verdiene > job:
  angestellt gelernt ausbildung selbststandig firma buro schicht rentner arbeitslos student
  krankenpfleger krankenschwester arzt arztin lehrer lehrerin ingenieur ingenieurin tischler
  verkaufer verkauferin koch fahrer informatiker programmierer anwalt anwaltin
chef, chefin, vorgesetzter, vorgesetzte, vorgesetzten > boss: leitet leiterin leiter berichte
kollege, kollegin, kollegen > colleague: team mitarbeiter
essen, esse, isst, lebensmittel, speisen, gericht, mahlzeit, ernahrung, meiden > eat: allergisch
  allergie unvertraglich unvertraglichkeit vertrage vegetarier vegetarisch vegan laktose gluten
  nusse erdnusse lieblingsessen kuche
allergie, allergien, allergisch > allergy: unvertraglich unvertraglichkeit vertrage
haustier, haustiere, tier, tiere > pet: hund hundin katze kater hamster kaninchen vogel
  wellensittich pferd fisch fische schildkrote dackel
hund > dog: dackel pudel welpe
katze > cat: kater
verheiratet, ehe, frau, mann, ehefrau, ehemann, partner, partnerin > married: geheiratet hochzeit
  geschieden verlobt verwitwet
kind, kinder, sohn, tochter, nachwuchs > kid: zwillinge
geschwister, bruder, schwester > sibling: zwilling
eltern, mutter, vater, mama, papa > parent
geburtstag, geboren, geburtsdatum > birthday: geworden werde
alt, alter, wie alt > old: geboren geburtstag jahre wurde geworden
heisse, heisst, heißt, heiße, name, namen > name: genannt heissen heißen
hobby, hobbys, hobbies, freizeit, spass, spaß, unternehme, am wochenende, am liebsten > hobby:
  spiele lese male gehe wandere wandern koche backe fahre sammle klettere schwimme laufe joggen
  gartle wochenende wochenenden abends
sport, fitness, trainiere > sport: laufe joggen schwimmen fussball fußball tennis fitnessstudio
  radfahren klettern yoga
instrument, musikinstrument > instrument: klavier gitarre geige floete flote schlagzeug trompete
musik, band, lied, lieder > music: hore album konzert sanger
film, filme, serie, serien > film: gesehen schaue
buch, bucher, lese, lesen, autor > book: roman romane gelesen
auto, wagen, fahrzeug, fahre > car: fahre fahren elektroauto kombi
zur arbeit > commute: rad fahrrad bus bahn auto zug
medikament, medikamente, medizin, tabletten, arznei, pillen > medication: mg nehme spritze insulin
  dosis verschrieben
krank, krankheit, krankheiten, gesundheit, leide > health: diabetes asthma migrane bluthochdruck
  diagnose operation
arzt, arztin, hausarzt > doctor: dr praxis
versicherung, versichert, krankenkasse > insurance: kasse police
sprache, sprachen, spreche, sprichst > language: spreche englisch deutsch franzosisch spanisch
  italienisch muttersprache
studiert, studium, schule, ausbildung, abschluss > school: studierte studiere universitat
  uni diplom lehre gelernt
handy, telefon > phone: iphone pixel galaxy
computer, laptop, rechner > computer
bank, konto > bank: konto sparkasse
lieblingsfarbe, farbe > colour: rot blau grun gelb schwarz weiss weiß
mag, magst, mogen, liebt, gefallt, lieblings, bevorzuge, gern, gerne > favourite: mag liebt liebe
  liebling gern gerne gefallt begeistert
urlaub, reise, reisen, ferien > travel: gebucht fliegen flug fliege reise
schlafe, aufstehe, stehe ich auf > sleep: schlafe stehe wecker
alkohol, trinke, trinken > drink: trinke bier wein kaffee tee
""",
    "fr": """
habite, habites, habitons, habitez, vis, vivons, adresse, domicile, quelle ville > live: demenage
  installe appartement maison loyer rue vis vivons
d'ou je viens, origine, ou suis-je ne, ou suis-je nee > originally: ne nee grandi viens origine
metier, travail, travaille, travailles, profession, emploi, boulot, employeur, gagne ma vie > job:
  suis bosse employe employee salarie infirmier infirmiere medecin professeur ingenieur avocat
  enseignant vendeur cuisinier chauffeur retraite chomage bureau entreprise stage
chef, patron, patronne, superieur, superieure, responsable > boss: dirige rends_compte
collegue, collegues > colleague: equipe
manger, mange, manges, aliment, aliments, nourriture, plat, plats, eviter, regime > eat: allergique
  allergie intolerant intolerante intolerance supporte vegetarien vegetarienne vegan lactose gluten
  arachides noix cuisine
allergie, allergies, allergique > allergy: intolerant intolerante intolerance supporte
animal, animaux, animal de compagnie > pet: chien chienne chat chatte chaton lapin hamster oiseau
  cheval poisson tortue perroquet
chien > dog: chienne chiot labrador
chat > cat: chatte chaton
marie, mariee, mari, femme, epoux, epouse, conjoint, compagne, compagnon, couple > married: mariage
  divorce divorcee fiance fiancee
enfant, enfants, fils, fille > kid: jumeaux bebe
frere, soeur, freres, soeurs > sibling: jumeau
parents, mere, pere, maman, papa > parent
anniversaire, naissance, date de naissance > birthday: ne nee
age, ans, quel age > old: ne nee ans anniversaire
appelle, appelles, appellent, nom, prenom > name: nomme surnomme appelle
loisir, loisirs, passe-temps, hobby, hobbies, temps libre, le week-end, pour le plaisir > hobby:
  joue lis peins cuisine randonnee cours jardine danse chante echecs velo week-end weekend
sport, sports, fitness > sport: cours course natation football tennis gym velo yoga
instrument, instrument de musique > instrument: piano guitare violon flute batterie trompette
musique, chanson, groupe > music: ecoute album concert chanteur
film, films, serie, series > film: regarde vu
livre, livres, lecture, lis, auteur > book: roman romans lu
voiture, vehicule, auto, conduis, roule > car: conduis roule moto
au travail, au bureau > commute: velo bus train metro voiture pied
medicament, medicaments, traitement, pilules, comprimes > medication: mg prends insuline dose
  prescrit
malade, maladie, maladies, sante > health: diabete asthme migraine tension diagnostic operation
medecin, docteur > doctor: dr cabinet
assurance, mutuelle, assure > insurance: assurance mutuelle
langue, langues, parle, parlons > language: parle anglais francais espagnol allemand italien
etudie, etudes, diplome, ecole, universite > school: licence master doctorat universite diplome
  etudie
telephone, portable > phone: iphone pixel galaxy
ordinateur, portable > computer
banque, compte > bank: compte
couleur > colour: rouge bleu bleue vert verte jaune noir blanc
aime, aimes, prefere, preferes, preferee, adore, plait, gout, gouts > favourite: adore aime prefere
  prefere plait raffole
vacances, voyage, voyages > travel: reserve vol partons voyage
dors, leve, couche > sleep: dors leve couche reveil
alcool, bois, boire > drink: bois vin biere cafe the
""",
    "es": """
vivo, vives, vivimos, vive, direccion, domicilio, resido, que ciudad > live: mude mudamos mudado
  piso casa apartamento alquiler calle vivimos
de donde soy, origen, donde naci > originally: naci nacido nacida crie soy
trabajo, trabajas, trabaja, profesion, empleo, oficio, ocupacion, a que me dedico, empresa > job:
  soy trabajo empleado empleada enfermero enfermera medico medica profesor profesora ingeniero
  ingeniera abogado abogada cocinero conductor jubilado jubilada paro oficina fabrica taller
jefe, jefa, supervisor, supervisora > boss: dirige reporto supervisor supervisora encargado
companero, companera, companeros > colleague: equipo
comer, como, comes, come, comida, alimento, alimentos, plato, evitar, dieta > eat: alergico
  alergica alergia intolerante intolerancia tolero vegetariano vegetariana vegano lactosa gluten
  cacahuetes nueces
alergia, alergias, alergico, alergica > allergy: intolerante intolerancia tolero
mascota, mascotas, animal, animales > pet: perro perra gato gata gatito conejo hamster pajaro
  caballo pez tortuga loro
perro > dog: perra cachorro
gato > cat: gata gatito
casado, casada, marido, mujer, esposo, esposa, pareja > married: boda divorciado divorciada
  prometido prometida
hijo, hija, hijos, hijas, nino, ninos > kid: gemelos bebe
hermano, hermana, hermanos > sibling: gemelo
padres, madre, padre, mama, papa > parent
cumpleanos, naci, nacimiento, fecha de nacimiento > birthday: naci cumplo cumpli
anos, edad, que edad, cuantos anos > old: naci cumplo cumpli anos
llamo, llamas, llama, llaman, nombre > name: llamo llama apodo
aficion, aficiones, pasatiempo, pasatiempos, hobby, hobbies, tiempo libre, ratos libres > hobby:
  juego leo pinto cocino senderismo corro bailo canto ajedrez bicicleta fines_de_semana
deporte, deportes, gimnasio > sport: corro nado futbol tenis gimnasio ciclismo yoga
instrumento, instrumentos > instrument: piano guitarra violin flauta bateria trompeta
musica, cancion, grupo > music: escucho disco concierto cantante
pelicula, peliculas, serie, series > film: visto veo
libro, libros, leer, leo, autor > book: novela novelas leido
coche, carro, auto, vehiculo, conduzco > car: conduzco moto
al trabajo > commute: bicicleta bici autobus tren metro coche pie
medicamento, medicamentos, medicinas, pastillas, medicacion > medication: mg tomo insulina dosis
  recetado
enfermo, enferma, enfermedad, enfermedades, salud > health: diabetes asma migrana tension
  diagnostico operacion
medico, doctor, doctora > doctor: dr dra consulta
seguro, aseguradora > insurance: seguro poliza
idioma, idiomas, lengua, lenguas, hablo > language: hablo ingles espanol frances aleman portugues
estudie, estudios, carrera, universidad, escuela > school: licenciado licenciada grado master
  universidad estudie
telefono, movil > phone: iphone pixel galaxy
ordenador, computadora, portatil > computer
banco, cuenta > bank: cuenta
color > colour: rojo azul verde amarillo negro blanco
gusta, gustan, encanta, encantan, favorito, favorita, prefiero, prefiere > favourite: gusta gustan
  encanta encantan prefiero prefiere favorito favorita adora
vacaciones, viaje, viajes > travel: reservado vuelo viajamos viaje
duermo, levanto, acuesto > sleep: duermo levanto acuesto despierto
alcohol, bebo, beber > drink: bebo vino cerveza cafe te
""",
    "nl": """
woon, woont, wonen, woonplaats, adres, welke stad > live: verhuisd verhuis huis flat appartement
  straat wonen
kom ik vandaan, afkomst, geboorteplaats > originally: geboren opgegroeid kom
beroep, baan, werk, werkt, werken, werkgever, verdien > job: werk verpleger verpleegster arts leraar
  lerares ingenieur advocaat kok chauffeur gepensioneerd werkloos kantoor bedrijf timmerman
baas, leidinggevende, manager > boss: leidt leidinggevende
collega, collega's > colleague: team
eten, eet, voedsel, gerecht, vermijden, dieet > eat: allergisch allergie intolerant verdraag
  vegetarier vegetarisch veganist lactose gluten noten pinda
allergie, allergieen, allergisch > allergy: intolerant verdraag
huisdier, huisdieren, dier, dieren > pet: hond kat poes konijn hamster vogel paard vis schildpad
hond > dog: puppy teef
kat > cat: poes kitten
getrouwd, man, vrouw, echtgenoot, echtgenote, partner > married: getrouwd bruiloft gescheiden
  verloofd
kind, kinderen, zoon, dochter > kid: tweeling baby
broer, zus, broers, zussen > sibling: tweeling
ouders, moeder, vader, mama, papa > parent
verjaardag, jarig, geboren, geboortedatum > birthday: geboren geworden
oud, leeftijd, hoe oud > old: geboren jaar geworden
heet, heten, naam, namen > name: heet genoemd
hobby, hobby's, hobbies, vrije tijd, plezier > hobby: speel lees schilder wandelen wandel kook fiets
  zwem dans zing schaak weekend
sport, sporten, fitness > sport: ren zwem voetbal tennis sportschool fiets yoga
instrument, muziekinstrument > instrument: piano gitaar viool fluit drums trompet
auto, wagen, voertuig, rijd, rijden > car: rijd rijden
naar het werk > commute: fiets bus trein tram auto
medicijn, medicijnen, pillen, tabletten > medication: mg neem slik insuline dosis
ziek, ziekte, gezondheid > health: diabetes astma migraine bloeddruk diagnose operatie
dokter, huisarts, arts > doctor: dr praktijk
verzekering, verzekerd > insurance: verzekering polis
taal, talen, spreek > language: spreek engels nederlands frans duits
gestudeerd, studie, school, opleiding > school: studeerde universiteit diploma
leuk, lekker, houdt, favoriete, lievelings, graag > favourite: houdt houd dol graag favoriete
""",
    "it": """
abito, abiti, abita, abitiamo, vivo, vivi, viviamo, indirizzo, quale citta > live: trasferito
  trasferita trasferiti appartamento casa affitto via viviamo
di dove sono, origine, dove sono nato, dove sono nata > originally: nato nata cresciuto cresciuta
lavoro, lavori, lavora, professione, mestiere, impiego, occupazione, per vivere, azienda > job:
  faccio sono impiegato impiegata infermiere infermiera medico insegnante ingegnere avvocato cuoco
  autista pensionato pensionata disoccupato ufficio ditta fabbrica
capo, superiore, responsabile > boss: dirige responsabile
collega, colleghi > colleague: squadra
mangiare, mangio, mangi, cibo, cibi, alimenti, piatto, evitare, dieta > eat: allergico allergica
  allergia intollerante intolleranza tollero vegetariano vegetariana vegano lattosio glutine
  arachidi noci
allergia, allergie, allergico, allergica > allergy: intollerante intolleranza tollero
animale, animali, animali domestici > pet: cane cagna gatto gatta gattino coniglio criceto uccello
  cavallo pesce tartaruga pappagallo
cane > dog: cagna cucciolo
gatto > cat: gatta gattino
sposato, sposata, marito, moglie, compagno, compagna > married: matrimonio nozze divorziato
  divorziata fidanzato fidanzata
figlio, figlia, figli, figlie, bambini > kid: gemelli neonato
fratello, sorella, fratelli > sibling: gemello
genitori, madre, padre, mamma, papa > parent
compleanno, nato, nata, nascita, data di nascita > birthday: nato nata compio compiuto
anni, eta, quanti anni > old: nato nata compio compiuto anni
chiamo, chiami, chiama, chiamano, nome > name: chiamo chiama soprannome
hobby, passatempo, passatempi, tempo libero, svago, per divertimento > hobby: gioco leggo dipingo
  cucino camminare escursioni corro ballo canto scacchi bicicletta fine_settimana montagna
sport, palestra > sport: corro nuoto calcio tennis palestra ciclismo yoga
strumento, strumenti > instrument: pianoforte chitarra violino flauto batteria tromba
musica, canzone, gruppo > music: ascolto disco concerto cantante
film, serie > film: visto guardo
libro, libri, leggere, leggo, autore > book: romanzo romanzi letto
macchina, auto, automobile, veicolo, guido > car: guido moto
al lavoro > commute: bicicletta bici autobus treno metro macchina piedi
farmaco, farmaci, medicina, medicine, pillole > medication: mg prendo insulina dose prescritto
malato, malata, malattia, malattie, salute > health: diabete asma emicrania pressione diagnosi
  operazione
medico, dottore, dottoressa > doctor: dr studio
assicurazione > insurance: polizza assicurazione
lingua, lingue, parlo > language: parlo inglese italiano francese tedesco spagnolo
studiato, studi, laurea, scuola, universita > school: laureato laureata laurea universita studiato
telefono, cellulare > phone: iphone pixel galaxy
computer, portatile > computer
banca, conto > bank: conto
colore > colour: rosso blu azzurro verde giallo nero bianco
piace, piacciono, preferito, preferita, preferisco, preferisce, adora > favourite: piace piacciono
  adora ama preferisco preferisce preferito preferita
vacanza, vacanze, viaggio, viaggi > travel: prenotato volo viaggio partiamo
dormo, alzo, sveglio > sleep: dormo alzo sveglio
alcol, bevo, bere > drink: bevo vino birra caffe te
""",
    "pt": """
moro, mora, moramos, vivo, vivemos, endereco, morada, resido, que cidade > live: mudei mudamos
  apartamento casa aluguel renda rua moramos
de onde sou, origem, onde nasci > originally: nasci cresci sou
trabalho, trabalhas, trabalha, profissao, emprego, ocupacao, oficio, empresa > job: sou trabalho
  empregado empregada enfermeiro enfermeira medico medica professor professora engenheiro
  engenheira advogado advogada cozinheiro motorista aposentado reformado desempregado escritorio
  oficina fabrica
chefe, supervisor, supervisora > boss: dirige supervisor supervisora gerente
colega, colegas > colleague: equipe equipa
comer, como, come, comida, alimento, alimentos, prato, evitar, dieta > eat: alergico alergica
  alergia intolerante intolerancia tolero vegetariano vegetariana vegano lactose gluten amendoim
  nozes
alergia, alergias, alergico, alergica > allergy: intolerante intolerancia tolero
animal, animais, bicho, animais de estimacao > pet: cao cachorro cadela gato gata coelho hamster
  passaro cavalo peixe tartaruga papagaio
cao, cachorro > dog: cadela
gato > cat: gata gatinho
casado, casada, marido, mulher, esposo, esposa, companheiro, companheira > married: casamento
  divorciado divorciada noivo noiva
filho, filha, filhos, filhas, criancas > kid: gemeos bebe
irmao, irma, irmaos > sibling: gemeo
pais, mae, pai > parent
aniversario, nasci, nascimento, data de nascimento > birthday: nasci faco fiz completei
anos, idade, quantos anos > old: nasci faco fiz completei anos
chamo, chama, chamas, nome > name: chamo chama apelido
passatempo, passatempos, hobby, hobbies, lazer, tempo livre, tempos livres > hobby: jogo leio pinto
  cozinho caminhadas corro danco canto xadrez bicicleta fins_de_semana
esporte, desporto, academia, ginasio > sport: corro nado futebol tenis academia ginasio ioga
instrumento, instrumentos > instrument: piano guitarra violao violino flauta bateria trompete
musica, cancao, banda > music: ouco disco concerto cantor
filme, filmes, serie, series > film: vi assisti
livro, livros, leio, autor > book: romance romances li
carro, viatura, veiculo, dirijo, conduzo > car: dirijo conduzo moto
ao trabalho, para o trabalho > commute: bicicleta onibus autocarro trem comboio metro carro pe
remedio, remedios, medicamento, medicamentos, comprimidos > medication: mg tomo insulina dose
  receitado
doente, doenca, doencas, saude > health: diabetes asma enxaqueca pressao diagnostico operacao
medico, medica, doutor > doctor: dr dra consultorio
seguro, seguradora > insurance: seguro apolice
idioma, idiomas, lingua, linguas, falo > language: falo ingles portugues frances alemao espanhol
estudei, estudos, curso, universidade, escola > school: licenciado formado formada licenciatura
  universidade estudei
telefone, celular, telemovel > phone: iphone pixel galaxy
computador, portatil > computer
banco, conta > bank: conta
cor > colour: vermelho azul verde amarelo preto branco
gosto, gosta, gostam, favorito, favorita, prefiro, prefere, adora > favourite: gosto gosta adora
  adoro prefiro prefere favorito favorita
ferias, viagem, viagens > travel: reservado voo viagem viajamos
durmo, levanto, deito > sleep: durmo levanto deito acordo
alcool, bebo, beber > drink: bebo vinho cerveja cafe cha
""",
}
