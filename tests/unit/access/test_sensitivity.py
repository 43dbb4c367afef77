"""What people keep to themselves is told from what they do not. Budget: 1 s."""

import pytest

from ashd.access.sensitivity import classify

PERSONAL = """
I am allergic to peanuts
I have type 2 diabetes
My mother was diagnosed with breast cancer
Sarah is treated for depression
I take 20 mg of citalopram every morning
My blood pressure is too high
Bob is HIV positive
She is pregnant and due in June
We lost the baby in March
I had a miscarriage last year
My son has ADHD
Grandpa has Alzheimer's
I am in recovery and three years sober
He is an alcoholic
My panic attacks are back
I see a psychologist on Tuesdays
Anna is having knee surgery on Friday
I am on insulin
Tom has an eating disorder
My doctor says I must lose weight
I was in hospital for a week
I have chronic back pain
My period is late
I wear a hearing aid
She is on antidepressants
I am in a wheelchair since the accident
My test came back positive for COVID
He tried to kill himself
I have asthma
My therapist recommended a break
My salary is 85,000 euros
I earn 4,200 a month after tax
We owe the bank 12,000
I am in debt
My credit score is 580
Dad left me 50,000 in his will
They are behind on the mortgage
I lost my savings on crypto
He filed for bankruptcy
I get unemployment benefits
My rent is 1,400 euros
I cannot pay the rent this month
Her net worth is about two million
My bonus was 10,000 this year
I am broke until payday
I am a practising Muslim
We are Jewish and keep the sabbath
She left the Church of Scientology
I pray five times a day
He converted to Buddhism
I am an atheist
I voted for the Greens
He is a member of the communist party
I go to mass every Sunday
I am gay
She came out as trans last spring
My pronouns are they/them
They are bisexual
I have not told my parents that I like men
He is having an affair
We have not had sex in months
I am on Tinder again
My husband cheated on me
I was arrested for drunk driving
He is on parole
My divorce will be final in May
We are fighting over custody of the kids
I am being sued by my landlord
She has a restraining order against her ex
My asylum application was rejected
I have a criminal record
My visa expires in August
My lawyer told me to settle
He went to prison for fraud
Ich bin schwanger
Ich habe Depressionen
Mein Gehalt ist 3.000 Euro
J'ai un cancer du sein
Mon salaire est de 2 000 euros
Estoy embarazada
Tengo diabetes
Sono in cura da uno psicologo
我怀孕了
私はうつ病です
My cousin has sickle cell anaemia
I have been sleeping badly and my GP gave me melatonin
Lena has been cutting herself
Dad's biopsy came back malignant
I had a vasectomy in April
He has a peanut allergy
I'm taking lithium for my moods
She suffers from endometriosis
My gran broke her hip and is in a care home
I use a CPAP machine for sleep apnoea
My take-home pay is 3,100
I have 40k in student loans
We remortgaged the flat
The IRS says I owe them money
My ex doesn't pay maintenance
I sold my shares and made 20 grand
He borrowed five thousand from me and never paid it back
I'm a Quaker
My family are Sikh
I stopped believing in God
I vote Labour
I joined a union at work
My girlfriend and I are both women and not out at work
He's questioning his gender
I slept with my boss
She had a fling with a colleague
My brother was caught shoplifting
I got a DUI in 2019
My ex has filed for sole custody
I overstayed my visa
The police searched our house
I have a court date on Monday
I have tinnitus
Er hat Krebs
Elle est séropositive
Tengo una deuda de 5000 euros
I was diagnosed with coeliac disease
My knee replacement is in October
I'm losing my hair from alopecia
The doctors found a lump
Her waters broke last night and the baby is healthy
I have not left the house in weeks because I feel so low
He hears voices
I faint when I see blood
My cycle is irregular
I quit drinking in 2020
I am HIV negative
She takes the pill
We're trying for a baby
My mum is in a psychiatric ward
I get paid 25 an hour
My credit card is maxed out
I'm behind with my student loan
I owe my sister 300 dollars
We had to sell the house because of debts
My family is very religious
I fast during Ramadan
I was raised Catholic
I'm a card-carrying Democrat
I went to a pro-choice rally
I think I might be asexual
My wife and I are in couples therapy
We sleep in separate beds
He kissed another woman
I'm seeing two people at the moment
I was charged with possession
My brother is in prison
We are getting divorced
I signed an NDA
He hit his wife
My neighbour is suing us over the fence
I've got gout in my left foot
My daughter is being assessed for dyspraxia
The chemotherapy makes him tired
I wear dentures
She's expecting twins
I inject testosterone
Dad has had two heart attacks
Mum takes warfarin
I am colour-blind
He's been clean for six months
I have a catheter
I earn less than my husband
They took out a second mortgage
My pension won't be enough
I made a loss on bitcoin
We're Mormons
She wears a hijab
He is studying to be a priest
I don't believe in God
I'm voting for Labour
I fancy my flatmate
He is into BDSM
My cousin is lesbian
We met on Grindr
I got caught speeding
My uncle is in custody
She pressed charges
I was robbed and the police did nothing
We're in a custody battle
My hands shake because of my thyroid
My wife has postnatal depression
Grandma is going blind
My account is overdrawn again
He doesn't pay child support
I was baptised last year
My parents are strict Hindus
I stopped going to church
My roommate is trans
I'm waiting for my green card
She is seeking custody of both children
""".strip().splitlines()

HARMLESS = """
I like Italian food
My favourite colour is blue
I live in Oslo
The meeting is on Monday at ten
The launch date is May 5
I work as a gardener
My bicycle is in the red shed
Bob plays the tuba
Our dog is called Rex
I prefer tea to coffee
The Wi-Fi name is on the fridge
My flight leaves at 7:40
I speak German and a little Polish
We deploy with Docker on Fridays
The build broke last night
I broke my favourite mug
The server is called apollo
My sister lives in Lyon
I am learning to play chess
The tennis court is booked for six
We meet on Church Street
The swimming coach showed us the back stroke
He has a stroke of luck
The trial version ends in two weeks
The bonus track is the best one
The river bank is a nice place to walk
I read about medieval medicine
The game has a settlement system
Please charge my phone
The battery is charged with a USB cable
The suspect in the novel is the butler
The function returns a sentence
She is a judge at the baking contest
We watched a film about prison life in the twenties
I take the bus to work
My parents met in Paris
The cake needs three eggs
The report is due on Thursday
I am the lead of the design team
Use four spaces for indentation
The party is at eight
I want to visit Japan
My shoe size is 43
Alice is moving to Berlin
The garden gate sticks
I usually wake up at six
The password is in the safe at home
My boss likes short e-mails
We have two cats and a hamster
I am reading a book on birds
The printer is out of paper
He supports the local football club
The train to Bern runs every hour
I can meet after lunch
My favourite band is touring in May
The API limit is 100 calls a minute
The weather was lovely in Porto
I finished the marathon in four hours
She teaches physics
The coffee machine is on the second floor
We named the boat Aurora
The museum is closed on Tuesdays
The kids love dinosaurs
I play the violin
That joke is sick
We need milk and bread
Ich mag Kaffee
J'aime le jazz
Me gusta el mar
我喜欢喝茶
The deployment uses blue-green releases
I keep my keys in a bowl by the door
We decided to use PostgreSQL
My sister is a nurse in Leeds
Book a table for four on Saturday
The conference is in Lisbon next spring
I collect old maps
The dishwasher makes a strange noise
My favourite author is Ursula Le Guin
I run 10 km twice a week
The invoice template is in the shared folder
My boss wants the slides by noon
Our budget meeting is on Wednesday
He drives a red Volvo
The recipe calls for 200 g of butter
I am vegetarian
I have a meeting with the bank's IT team
My hobby is astronomy
The password manager is Bitwarden
The kids start school in September
I changed the oil last week
We are painting the kitchen green
The project is codenamed Falcon
Tom's birthday is on 3 July
She studies law in Leiden
I prefer window seats
The gym opens at seven
My laptop has 32 GB of memory
Granny bakes the best apple pie
I saw a play about a trial
He works for a pharmaceutical company
The patient developer waits for the build
I moved my desk to the window
The release notes are in the wiki
Anna plays the cello in an orchestra
My favourite cheese is Gruyère
Our stand-up is at half past nine
I learned to juggle last summer
The bakery on the corner has the best rolls
I use Vim with the Gruvbox theme
The hotel has a pool
We are going camping in August
My phone is an old Nokia
The plants need water on Sundays
I speak Welsh
Grandma was born in 1941
I read the newspaper on the train
My cat's name is Miso
The printer needs a new toner
She won the chess tournament
Our flat is on the third floor
I always forget my umbrella
Turn off the lights before you leave
The conference talk is about caching
I support Liverpool
The soup needs more salt
My uncle is a carpenter
I would like answers in short sentences
The ticket number is 4711
We ride our bikes to work
I don't like horror films
Bob sits next to the door
Her new book is about bees
The kids built a tree house
I got up at five today
The lease on the copier ends in June
I bought a blue notebook
Our stand is in hall 7
My brother plays rugby on Sundays
The code review is done by Priya
I want summaries in bullet points
He keeps bees on the roof
The route to the cabin is icy
I'm left-handed
We use feature flags for every release
Mia's favourite animal is the otter
The bus stops outside the library
I cooked lasagne for the team
Our house has solar panels
My sister dances tango
The reading group meets monthly
I keep a paper diary
The photo is from 2012
Sam built the garden shed
I never eat breakfast
My inbox is empty
The router restarts every night
We'll take the ferry to Harwich
I sketch with charcoal
She grew up near the sea
The keyboard has a German layout
I am planning a surprise for Leo
The newsletter goes out on Fridays
He speaks fluent Swahili
My tent sleeps three
I teach an evening class in pottery
I put the spare key under the mat
The train was ten minutes late
Our team uses a shared calendar
He carved a spoon from birch
I keep the receipts in a folder
Lunch is at noon in the canteen
The playlist has forty songs
I like crosswords
The second monitor flickers
My aunt sends postcards
We adopted a cat from the shelter
The parking garage closes at ten
She knits scarves
My notes are in Markdown
The kettle is new
The trail is five miles long
I answer e-mails in the morning
He owns a sailing boat
The clock is two minutes fast
My favourite season is autumn
We have a whiteboard in the kitchen
The app crashed twice today
I signed up for a pottery class
Rosa teaches maths
The tests pass on Python 3.12
Sue likes tea
Inject the dependencies through the constructor
We bypass the cache for admins
There are two free time slots on Monday
The report is due in June
Here is a cost breakdown per team
Convert the file to PDF
The text was converted to Markdown
std::vector is a C++ container
The door hinge squeaks
We buy extra virgin olive oil
Virginia is a state
I have a lot of sympathy for her
My portfolio website is online
It is a conservative estimate
Pull the weeds in the garden
Als Kind lebte ich in Bonn
Oh my god, that is fast
The adoption of the new API is slow
He is a dog lover
The model has a blind spot
Escape the liver sausage
She is a ward manager
Take the ring road bypass
The tests are separated from the code
The login is guarded by a session token
Charge the battery with the USB cable
I found a bug in the parser
The meeting is at the community center
I use the dark theme
The Taj Mahal is a tomb
Our budget for the party is 200 euros
""".strip().splitlines()


def test_the_table_is_large_and_clean() -> None:
    """Enough sentences of each kind, each once."""
    assert len(set(PERSONAL)) == len(PERSONAL) >= 60
    assert len(set(HARMLESS)) == len(HARMLESS) >= 60
    assert set(PERSONAL).isdisjoint(HARMLESS)


@pytest.mark.parametrize("text", PERSONAL)
def test_what_is_kept_to_oneself_is_personal(text: str) -> None:
    """Health, money, faith, sexuality and the law, said of somebody."""
    assert "personal" == classify(text)


@pytest.mark.parametrize("text", HARMLESS)
def test_everyday_things_are_not(text: str) -> None:
    """Words that only look so, and plain facts."""
    assert classify(text) is None
