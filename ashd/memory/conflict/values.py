"""Values of one type: states that exclude each other, colours, sizes, places within places.

Words only, no decisions.
"""

from typing import Final


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _types(text: str) -> tuple[tuple[frozenset[str], ...], ...]:
    """A type a line: its words exclude each other, or its sides, where "|" stands between them."""
    lines = text.strip().replace("\n ", " ").split("\n")
    return tuple(
        tuple(map(_set, line.split("|") if "|" in line else line.split())) for line in lines
    )


STATES: Final = _types(
    """
single|married|engaged|divorced separated|widowed|dating relationship
vegetarian vegetarianism|vegan plant-based|pescatarian|omnivore carnivore meat
left-handed|right-handed|ambidextrous
on|off
enabled enable activated activate active|disabled disable deactivated inactive paused hold
open|closed close merged merge
online up working fixed running repaired repair fix|offline down broken break
sick ill|healthy well recovered
pending progress todo started|finished done complete completed|cancelled canceled
signed|unsigned
approved accepted|rejected denied declined|pending
public|private internal
person onsite|online remote virtual|hybrid
introvert introverted|extrovert extroverted
employed job|unemployed|retired
alive|dead
owl|bird morning
part-time|full-time|freelance
busy|free available
asleep|awake
pregnant|birth
locked|unlocked
required mandatory|optional
"""
)
"""States that exclude each other whatever the verb."""
KINDS: Final = STATES + _types(
    """
red blue green yellow orange purple pink black white gray brown teal navy beige turquoise maroon
basic premium free pro enterprise standard plus
short brief concise|long detailed verbose lengthy
formal professional|casual informal friendly playful
spicy|mild
single double
tab space
bus train car bicycle tram subway metro tube foot ferry scooter taxi
small medium large s m l xs xl xxl
english spanish french german italian portuguese dutch chinese mandarin japanese korean arabic
 hindi polish swedish russian turkish
metric imperial
celsius fahrenheit
light dark
tea coffee cocoa juice
daily|weekly|monthly|hourly|yearly annual annually|quarterly|nightly
kitchen bedroom bathroom hallway garage basement attic garden
master main trunk develop
dollar euro pound yen usd eur gbp chf
python java javascript typescript rust go ruby kotlin swift php scala perl elixir
react vue angular svelte
mysql postgres postgresql sqlite mariadb mongodb oracle
aws azure gcp heroku
windows macos linux ubuntu fedora debian arch
android|ios iphone
vim emacs helix neovim vscode nano zed
firefox chrome brave safari edge
window aisle middle
morning afternoon evening night day
pacific eastern central mountain atlantic
junior senior lead principal staff intern
beginner intermediate advanced fluent expert
email sms phone text letter call message chat slack video post mail fax
pdf excel word csv json xml yaml html markdown
christian catholic protestant muslim jewish hindu buddhist atheist agnostic
democrat republican
cash card paypal credit
dry wet raw
black milk
sweet sour savory
hot cold warm iced
left right center
north south east west
upper lower
ground first top
manual automatic
analog digital
paper electronic
work home
high|low|normal
good|bad poor
cheap|expensive
easy|hard difficult
fast quick|slow
big|tiny
happy|sad
full|empty
indoor|outdoor
clean|dirty
quiet|loud noisy
classic|modern
ascending descending
"""
)
"""Values of one type of which one holds at a time."""
NATIONALITIES: Final = _set(
    "american british english scottish irish welsh french german italian spanish portuguese "
    "dutch belgian swiss austrian polish czech hungarian greek turkish russian ukrainian "
    "swedish danish norwegian finnish chinese japanese korean indian pakistani thai vietnamese "
    "mexican brazilian argentinian canadian australian egyptian nigerian kenyan israeli "
    "iranian european african asian jewish muslim christian catholic"
)
REGIONS: Final = _set(
    "germany france spain italy portugal england scotland wales ireland britain uk usa us "
    "america canada mexico brazil argentina chile peru colombia china japan korea india "
    "pakistan russia ukraine poland austria switzerland belgium netherlands holland denmark "
    "sweden norway finland iceland greece turkey egypt morocco nigeria kenya ethiopia ghana "
    "israel iran iraq australia zealand thailand vietnam indonesia malaysia singapore "
    "philippines taiwan hungary romania bulgaria serbia croatia slovenia slovakia czechia "
    "estonia latvia lithuania europe asia africa california texas florida ohio oregon nevada "
    "arizona utah colorado washington montana idaho illinois michigan minnesota wisconsin iowa "
    "missouri kansas georgia virginia carolina pennsylvania massachusetts connecticut vermont "
    "maine alabama tennessee kentucky bavaria saxony catalonia andalusia ontario quebec "
    "tuscany sicily"
)
"""Places that hold others: living in one says nothing against living in a town."""
OPPOSITES: Final = _types(
    """
like love enjoy adore appreciate|hate dislike detest loathe
trust|distrust
enable activate|disable deactivate
open|close
start begin|stop end
own have buy|rent lease
lose|gain
increase raise|reduce lower cut
buy|sell
"""
)
"""Verbs of which one denies the other of the same thing."""
