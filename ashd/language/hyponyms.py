"""Words for a kind of thing and words for things of that kind, so that "which sports" finds tennis.

General English, written for this purpose and not drawn from any data set. The things are added to a
search as terms of low weight (`query.Lookup`), so a missing or misplaced one costs little.
`relationship_groups` has kinds of people: there canonical words decide who is meant, here informal
ones help to find a text.
"""

from functools import cache
from typing import Final

# The words for a kind, a colon, the things; an indented line continues the one before.
_KINDS: Final = """
activity activities hobby hobbies pastime pastimes interests leisure: hiking camping swimming
  running jogging cycling biking painting drawing pottery cooking baking gardening reading
  dancing yoga fishing climbing skiing surfing knitting sewing photography gaming singing
  kayaking volunteering crafting woodworking birdwatching chess puzzles museum beach park
  concert
sport sports exercise exercises workout workouts fitness: tennis football soccer basketball
  baseball volleyball hockey golf swimming running marathon jogging cycling skiing snowboarding
  surfing climbing boxing kickboxing karate judo taekwondo yoga pilates gym weights badminton
  rugby cricket skating rowing race
instrument instruments: guitar piano violin drums flute cello clarinet saxophone trumpet ukulele
  harp bass keyboard
music songs song: band concert album singer jazz rock classical pop guitar piano playlist
  orchestra
pet pets animal animals: dog dogs puppy cat cats kitten hamster rabbit parrot bird birds fish
  turtle snake guinea horse horses lizard gecko
family relative relatives: wife husband son daughter kids children mother mom father dad brother
  sister grandmother grandma grandfather grandpa aunt uncle cousin niece nephew parents siblings
kids children child: son daughter toddler baby kid school playground
parent parents: mother mom father dad
sibling siblings: brother sister
partner spouse: wife husband girlfriend boyfriend fiance fiancee married
relationship dating: wife husband girlfriend boyfriend married single divorced engaged partner
  breakup
food foods dish dishes meal meals cuisine eat: pizza pasta salad soup chicken fish rice bread
  cheese steak curry sushi tacos burger noodles vegetables dinner lunch breakfast restaurant
  recipe cooked
dessert desserts sweets snack snacks treat treats: cake cookies chocolate pie cream ice candy
  muffins brownies pudding pastry
drink drinks beverage beverages: coffee tea beer wine juice water soda smoothie lemonade
  cocktail milk
fruit fruits: apple banana orange strawberry blueberries mango grapes peach pear cherries
job jobs career careers occupation profession work employment: teacher nurse doctor engineer
  lawyer manager chef artist writer programmer accountant banker designer internship hired
  promotion office company boss
education degree study studies school studied: college university degree graduated course major
  class exam master bachelor phd
vehicle vehicles transport transportation: car truck bike bicycle motorcycle van bus train
  scooter boat
electronics gadget gadgets device devices: phone laptop computer tablet camera headphones
  console watch tv
clothes clothing outfit outfits: shirt dress shoes jacket hat jeans sweater boots hoodie skirt
  coat
jewelry accessory accessories: necklace ring bracelet earrings watch pendant
color colors colour colours: red blue green yellow purple orange pink black white brown gray
  turquoise
art artwork artworks artist arts: painting painted drawing sculpture pottery sketch canvas
  portrait mural photography watercolor
craft crafts made: pottery knitting sewing woodworking clay bowl jewelry candle
book books novel novels literature reading: author read novel story series chapter library
movie movies film films show shows series: watched cinema comedy drama thriller documentary
  episode actor
game games: chess cards monopoly puzzle puzzles console nintendo xbox playstation video board
  tournament
country countries: france italy spain germany england japan china india mexico canada brazil
  sweden norway greece portugal ireland australia thailand turkey egypt
city cities town towns: paris london rome berlin madrid barcelona tokyo boston chicago seattle
  york francisco miami toronto sydney
state states: california texas florida oregon washington colorado michigan ohio georgia
  minnesota alaska hawaii
place places location locations destination destinations travel traveled trip trips vacation
  holiday: beach mountains lake island forest museum park paris london rome road flight hotel
nature outdoor outdoors outside: hike hiking camping mountain forest lake river beach trail
  waterfall park garden sunset
indoor indoors: reading cooking baking painting puzzles games movies yoga board knitting
plant plants flower flowers: rose roses tulips sunflowers lilies orchid tree garden herbs
  succulents
stress destress relax relaxing relaxation unwind calm cope: yoga meditation running walk bath
  music reading painting pottery nature therapy
health illness disease condition medical symptoms: doctor hospital surgery allergy asthma
  diabetes pain injury medication diagnosed therapy anxiety depression
allergy allergies allergic: peanuts nuts pollen shellfish dairy gluten rash asthma
pain injury injuries hurt injured: knee ankle back shoulder sprained broke broken twisted wrist
emotion emotions feeling feelings feel: happy sad angry proud excited nervous anxious grateful
  scared
money financial finance finances: salary rent loan debt savings afford budget bills invest pay
gift gifts present presents: gave birthday necklace book flowers card
event events occasion celebration: party wedding concert festival parade conference fundraiser
  race show meeting workshop fair gala
volunteer volunteering charity community help: shelter donate fundraiser homeless food drive
  mentor nonprofit
religion religious faith spiritual: church god pray bible temple mosque synagogue
politics political: election vote campaign government rights
class classes lesson lessons workshop workshops course courses: yoga pottery cooking dance
  painting language
skill skills: coding cooking speaking writing
language languages: english spanish french german italian japanese chinese korean portuguese
furniture decor home house apartment: couch sofa table chair bed lamp rug shelf kitchen
holiday holidays: christmas thanksgiving easter halloween
dance dances dancing: ballet salsa contemporary tango hiphop ballroom
award awards prize prizes competition competitions contest: won trophy medal first place winner
business businesses company startup store shop: launched customers clients marketing sales
  online investors
technology software programming computer: app code coding website python java
weather season seasons: rain snow sun storm winter summer
friend friends: buddy pal roommate neighbor coworker classmate
"""


def things(word: str) -> tuple[str, ...]:
    """Return the things of the kinds that a word names, without the word itself."""
    return _table().get(word, ())


@cache
def _table() -> dict[str, tuple[str, ...]]:
    table: dict[str, list[str]] = {}
    for line in _KINDS.replace("\n  ", " ").strip().splitlines():
        named, _, members = line.partition(":")
        for word in named.split():
            table.setdefault(word, []).extend(m for m in members.split() if m != word)
    return {word: tuple(dict.fromkeys(members)) for word, members in table.items()}
