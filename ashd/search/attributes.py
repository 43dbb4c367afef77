"""What is asked for and how people state it: "allergic" answers "what should I avoid eating".

Owns a table of everyday attributes. Nothing here is a rule of grammar: a word of the question that
asks for an attribute may also be found as one of the words that state it, for a little less than
the word itself. General English, written for this purpose and not drawn from any data set.
"""

import re
from functools import cache
from typing import Final

# What asks, with commas: a word in any of its forms, or several in a row as they stand in the
# question. Then, after a colon, the words that state it; _ joins those that belong together. The
# single words that ask state it, too. A line that is indented goes on.
_ATTRIBUTES: Final = """
live, home, address, reside, residence, location, hometown, which city, what city, which town,
  what town, which country, where am i based, where are we based, am i in, our place, my place:
  moved relocated settled resident apartment flat house condo rent street avenue suburb
  neighborhood neighbourhood based_in
live with, lives with: roommate flatmate housemate alone together
originally, hometown, birthplace, nationality, come from, where am i from, where are we from,
  ethnicity, heritage: born grew_up raised native citizen immigrated emigrated roots from
rent, own or rent, rent or own: rents renting landlord lease tenant mortgage bought owner
job, work, occupation, profession, career, employer, employed, employment, role, position,
  for a living, do for work, earn, line of work, workplace, company, paid:
  works worked working job hired employee self_employed freelance freelancer retired unemployed
  intern salary shift office nurse doctor teacher teach engineer developer programmer lawyer
  attorney accountant manager chef cook baker bakery waiter waitress barista driver pilot
  electrician plumber carpenter mechanic painter architect designer artist writer author editor
  journalist photographer scientist researcher professor student librarian pharmacist dentist
  therapist surgeon vet paramedic firefighter police soldier farmer gardener hairdresser cashier
  salesman consultant analyst administrator secretary translator musician actor director founder
  startup
boss, manager, supervisor, superior, supervise, line manager, team lead, in charge, approves,
  approve: report_to reports_to lead leads head director
colleague, coworker, teammate, work with, work together: team group member_of
responsible, in charge, who should i ask, who handles, point of contact, owner: owns handles
  handle lead leads takes_care manages runs maintains
eat, food, meal, diet, dietary, cuisine, dish, dinner, lunch, breakfast, restaurant, ingredient,
  cook: allergic allergy intolerant intolerance vegetarian vegan pescatarian halal kosher gluten
  celiac coeliac lactose dairy peanuts nuts shellfish meat pork favourite_food loves_eating
  italian mexican thai chinese indian japanese french greek korean curry pasta pizza sushi
avoid, dangerous, stay away, not eat, cannot eat, can't eat, not allowed, steer clear, bad for me,
  reaction, unsafe, must not, restriction: allergic allergy allergies intolerant intolerance
  hives rash vegetarian vegan celiac coeliac gluten anaphylactic ill
allergy, allergic, allergen, intolerant, intolerance: hives rash sneeze reaction anaphylaxis
  epipen celiac coeliac breaks_out
vegetarian, vegan, meat, steak, beef, pork, chicken, cheese, fish, do i eat:
  vegetarian vegan pescatarian plant_based meat
bread, wheat, pasta: gluten celiac coeliac
milk, cheese, dairy: lactose vegan
pet, animal, bird: dog puppy cat kitten rabbit bunny hamster parrot budgie horse pony fish
  goldfish turtle tortoise snake lizard guinea_pig ferret chicken
dog: puppy retriever labrador poodle terrier dachshund shepherd
cat: kitten tabby siamese
married, marriage, marry, wife, husband, spouse, partner, wedding, anniversary, who am i with,
  engaged, fiance, fiancee: wed divorced widowed engagement
relationship, dating, single, boyfriend, girlfriend, seeing anyone, love life: partner wife
  husband married engaged divorced broke_up breakup split_up fiance fiancee dating
kid, child, children, son, daughter, baby, toddler, father of, mother of, parent of: twins boys
  girls kindergarten
pregnant, pregnancy, due date: expecting baby
family, relative: wife husband son daughter mother father mom mum dad brother sister parents
  siblings kids children uncle aunt cousin grandmother grandfather grandma grandpa
sibling: brother sister twin
brother or sister, brother, sister: sibling
parent: mother father mom mum dad
mother, mom, mum: mother mom mum mama
father, dad: father dad papa
mother and father, mom and dad: parents
grandmother, grandma, gran: grandmother grandma gran granny nana
grandfather, grandpa: grandfather grandpa
friend, buddy, best friend: closest pal buddy bff
birthday, birthdate, born, date of birth, year of birth: turns turn turning be
old, age, years old, how old: born birthday aged turned turns turning years
name, called, who am i, what should you call me, my name: named name called goes_by nickname
  surname call_me
hobby, hobbies, fun, pastime, spare time, free time, leisure, interest, relax, weekend,
  evening, enjoy doing, like doing, like to do, spend my time:
  hiking hike play plays playing games gaming paint paints painting draw knit knits sew garden
  gardening read reading bake baking cook cooking cycling running swim swimming climb climbing
  fish fishing camp camping ski skiing skis surf dance dancing sing singing yoga chess puzzles
  quizzes photography pottery woodworking collect collects birdwatching weekends evenings
sport, exercise, workout, fitness, train, stay fit, keep fit, active: gym weights lift run runs
  running jog swim swims swimming cycle cycling bike tennis football soccer basketball baseball
  hockey golf volleyball badminton ski skis skiing climbing yoga pilates boxing karate judo
  rowing marathon hike
instrument, musical, play music: guitar piano violin viola cello drums flute clarinet saxophone
  trumpet trombone accordion harp bass ukulele banjo organ
music, band, singer, song, listen, artist, album, genre: music band songs listening album
  concert jazz rock pop metal rap classical techno
film, movie, cinema: film movie watched
show, series, tv, watching: season episode watching netflix show
book, read, reading, author, writer, literature: novel novels books author reading
game, gaming, play: games
team, club, cheer, support, root for, fan: fan game match supporter season_ticket
car, vehicle, drive, driving: drives sedan suv truck van pickup tesla toyota honda ford bmw
  audi volkswagen volvo subaru mazda nissan hyundai kia mercedes renault peugeot citroen skoda
  fiat opel dacia chevrolet jeep suzuki porsche polestar electric licence license
commute, get to work, get around, public transport, travel to work: bus train tram subway metro
  bike bicycle cycle walk drive drives car
medication, medicine, medicines, drug, drugs, prescription, pill, tablet, meds: mg dose insulin
  injects inhaler antibiotic antidepressant ibuprofen aspirin statin metformin prescribed takes
  takes_pills daily_dose
health, medical, illness, condition, disease, sick, diagnosis, diagnosed: asthma diabetes
  diabetic migraine arthritis cancer depression anxiety adhd epilepsy celiac coeliac allergic
  surgery inhaler insulin diagnosed blood_pressure chronic pain
diabetic, diabetes: insulin metformin sugar
mental health, mood, feel, feeling, how have i been, emotional: feeling low sad depressed
  depression anxious anxiety stressed happy lonely overwhelmed therapist therapy
operation, operations, surgery, surgeries, operated: surgery removed took_out appendix tonsils
  replacement
injury, hurt, injured: broke broken sprained tore fractured torn
doctor, physician, gp: dr doctor clinic practitioner
dentist, teeth: dentist dental dr
blood type, blood group: blood group type
smoke, smoking, smoker: cigarettes tobacco vape quit nicotine
alcohol, drink, drinking, wine, beer, sober: alcohol wine beer whisky cocktail sober teetotal
coffee, caffeine, tea, drink: coffee decaf espresso latte tea caffeine
sleep, bed, bedtime, wake, get up, wake up: sleep asleep insomnia get_up wake gets_up early
afraid, fear, scared, phobia, frightened: afraid terrified scared fear anxious
religion, religious, faith, believe, church, denomination: church mosque temple synagogue
  christian catholic lutheran protestant muslim jewish hindu buddhist atheist pray
school, study, studied, university, college, degree, education, major, educated, graduate,
  qualification: graduated degree university college bachelor master phd diploma apprenticeship
  studying studies alumni
language, languages, tongue, speak, fluent, bilingual: speaks fluent bilingual native english
  spanish french german italian portuguese dutch swedish norwegian polish russian chinese
  mandarin cantonese japanese korean arabic hindi turkish greek
learning, learn: learning taking lessons course class studying practising practicing
travel, trip, vacation, holiday, going away, flight, visiting: booked trip fly flies flying
  flight visit vacation holiday travelling traveling week_in
phone, smartphone, mobile: iphone pixel galaxy android
computer, laptop, machine, pc: laptop macbook thinkpad imac notebook desktop
operating system, os, which os: linux ubuntu fedora debian arch windows macos
height, how tall, tall: cm tall feet
weight, weigh, how heavy: kg pounds weigh
size: wear wears size
colour, color: red blue green yellow purple orange pink black white turquoise teal grey
dream, goal, ambition, aspiration, plan, plans for the future, future: want wants hope hopes
  goal plan planning dream someday
save, saving, savings: saving savings putting_away put_away set_aside
bank, account: account bank
debt, loan, owe: loan debt mortgage paying_back owe credit
budget, spend, cost, afford, how much can we: budget cost costs maximum limit
salary, earn, income, paid: salary income earn paid wage
insurance, insurer, insures, insure, insured: policy insurance insured
hate, dislike, can't stand, least favourite, least favorite: hate hates dislike dislikes
  disgusting can't_stand awful
favourite, favorite, prefer, preference, best, love, enjoy: favourite favorite prefer prefers
  love loves adore adores like likes enjoy enjoys best happy
like: love loves adore adores enjoy enjoys favourite favorite prefer prefers fond
candy, sweets, snack, dessert: chocolate liquorice licorice candy sweets cake cookies
deploy, deployment, release, ship, rollout, go live, release schedule: deploys release releases
  shipping production go_live
schedule, how often, cycle, cadence: every each weekly daily monthly monday tuesday wednesday
  thursday friday
meeting, standup, stand-up, sync, call: meet meets syncs sync standup meeting retro
demo, demonstration: demo show presentation
sprint, iteration: sprint iterations weeks
deadline, due, due date, finished by: due deadline by ship deliver
team, how many people, how big is: us members people headcount engineers
hiring, hire, new colleague, starting soon, new joiner: joins join hired starts recruit
client, customer: client customer account pays
editor, ide, text editor: editor vim neovim emacs vscode vs_code helix sublime jetbrains
  intellij pycharm zed nano
programming language, backend, coded in, written in, tech stack, technology, stack, coding
  language: python java javascript typescript go golang rust ruby kotlin swift php scala elixir
  haskell written_in
frontend, front-end, javascript framework, web framework, framework: react vue angular svelte
  next typescript javascript django flask rails web
database, store data, stored, data store: database postgres postgresql mysql sqlite mongodb
  cockroachdb redis oracle data
cache, caching: redis memcached cache
queue, message queue, messaging, broker: kafka rabbitmq nats sqs broker
ci, pipeline, build server, continuous integration: pipelines jenkins buildkite github_actions
  gitlab circleci builds
test, tests, test framework, testing: pytest jest junit tests tested
hosting, host, cloud, server, infrastructure, run on, data center: aws azure gcp hetzner
  kubernetes hosted host cluster server
source code, repository, repo, version control, code hosted: github gitlab bitbucket monorepo
  repository git
on call, on-call, pager: pager on_call rotation
login, log in, sign in, identity provider, authentication, auth, sso: logins login auth oauth
  keycloak okta sso password
credential, secret, key, token, password: keys secrets vault password credentials
monitoring, monitor, alerted, alert, observability: alerts grafana prometheus datadog pagerduty
  monitoring
outage, downtime, incident: outage incident down crashed
error, bug, problem, known problems, issue: crash crashes fails error bug broken
documentation, docs, documented: confluence wiki notion notes docs readme
branch, name branches, naming: branches branch named prefix
code review, review, reviewer, pull request: review approvals approve approval reviewer
format, formatted, formatting, code style, style: indent tabs spaces format bullet bullets
  concise points prose
answer, respond, response, reply, tone, talk to me: replies answers short brief concise formal
  bullet polite
unit, units, metric, imperial, temperature: celsius fahrenheit kilometres kilometers metric
  imperial miles
theme, light or dark, dark mode, light mode, mode: dark light theme background
time zone, timezone, available, availability, reach me: utc timezone gmt offline online hours
terminal, shell: bash zsh fish shell terminal
hardware, keyboard, mouse, monitor, type on: keyboard mouse monitor split mechanical
choose, chose, pick, picked, decide, decided, choice, decision, why: decided dropped chose went
  switched instead picked
"""

_WORD: Final = re.compile(r"[^\W_]+")
_ENDING: Final = re.compile(r"(?:ings|ing|ied|ies|ed|es|s|e|y)$")
_SHORTENED: Final = {"'s": " is", "'m": " am", "'re": " are", "n't": " not", "'ve": " have"}


def stated(term: str) -> tuple[str, ...]:
    """The words that state what a word asks for, itself left out; nothing for most words."""
    return tuple(word for word in _table()[0].get(_stem(term), ()) if word != term)


def stated_by_phrases(text: str) -> list[tuple[frozenset[str], tuple[str, ...]]]:
    """For each run of words in a folded question that asks for something: them, what states it."""
    padded = f" {_plain(text)} "
    return [
        (frozenset(phrase.split()), words)
        for phrase, words in _table()[1].items()
        if f" {phrase} " in padded
    ]


def _plain(text: str) -> str:
    """The words of a text alone, short forms in full."""
    for short, full in _SHORTENED.items():
        text = text.replace(short, full)
    return " ".join(_WORD.findall(text))


def _stem(word: str) -> str:
    bare = _ENDING.sub("", word)
    return bare if len(bare) >= 3 else word


@cache
def _table() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """What states it, by the stem of a word that asks and by several words that ask."""
    by_stem: dict[str, dict[str, None]] = {}
    by_phrase: dict[str, dict[str, None]] = {}
    for line in _ATTRIBUTES.replace("\n  ", " ").strip().splitlines():
        left, _, right = line.partition(":")
        asking = [_plain(part) for part in left.split(",")]
        words = [part for part in asking if " " not in part]
        words += [part.replace("_", " ") for part in right.split()]
        for part in asking:
            table, key = (by_phrase, part) if " " in part else (by_stem, _stem(part))
            table.setdefault(key, {}).update(dict.fromkeys(words))
    return (
        {key: tuple(words) for key, words in by_stem.items()},
        {key: tuple(words) for key, words in by_phrase.items()},
    )
