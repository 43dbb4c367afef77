"""The words around a spoken secret: what it is called, what follows that is no secret.

Owns the vocabularies of the rules in `spoken`; no rule stands here.
"""

# What a password is called, where words end at a non-letter: how each name begins, and the names.
PASSWORD_STEMS = (
    *("pass", "pwd", "psw", "pw", "wifi", "wi-fi", "wlan", "wpa", "network", "router"),
    *("kennw", "losung", "mot", "contrase", "senha", "palavra", "wachtw", "lösenord", "losenord"),
    *("adgang", "salasana", "hasło", "haslo", "hesl", "jelsz", "parol", "şifre", "sifre", "парол"),
    *("лозинка", "mật", "mat kh", "kata sandi", "kod dost", "κωδικ", "slapta", "geslo", "lozinka"),
)
PASSWORD = r"""
    pass[ -]?words? | passwd | pass[ -]?phrases? | pass[ -]?codes? | pwds? | (?<![a-z])(?:psw|pw)
    | (?:wi-?fi|wlan|wpa[23]?|wpa2/3|network|router)[ -](?:key|code|pass)
    | pass?w[oö]rte?r? | kennw[oö]rt(?:er)? | losung(?:swort)? | mots?\ de\ passe | contrase[nñ]as?
    | senhas? | palavra-passe | wachtwoord(?:en)? | l[oö]senord(?:et)? | adgangskoden? | passord(?:et)?
    | salasana(?:ni|si)? | has[lł]o | hesl[oa] | jelsz[oó](?:m|d)? | parol[aăe](?:m|n|ni|si|mi|nı|sı)?
    | [sş]ifre(?:m|n|si|miz|niz)? | лозинка | парол[ьяюе]м? | m[aậ]t\ kh[aẩ]u | kata\ sandi
    | kod\ dost[eę]pu | κωδικός(?:\ πρόσβασης)? | slaptažodis | geslo | lozinka
"""
# The same in scripts that go on without a space.
PASSWORD_UNSPACED = (
    "密码|密碼|口令|パスワード|暗証番号|비밀번호|암호|كلمة المرور|كلمة السر|كلمة مرور|الرقم السري|رمز عبور|گذرواژه"
    "|הסיסמה|סיסמה|סיסמא|पासवर्ड|รหัสผ่าน"
)
# A person, a thing or a place that the password is for, between its name and its value.
QUALIFIER_START = (
    "for|to|of|on|at|from|in|with|by|that|which|you|we|he|she|they|i"
    "|für|fürs|vom|von|zum|zur|auf|du|de|des|pour|sur|para|del|da|do|di|per|voor|van|till|til|för"
    "|от|для|к|на|do|dla|cho|untuk|för|lui|pentru"
)
COPULA = (
    "used\\ to\\ be|has\\ been|is|was|are|were|be|became|becomes|remains|equals|reads"
    "|ist|lautet|war|heißt|est|était|es|era|é|è|foi|sono|sind|is|luidt|är|är|er|on|to|je|este|olan"
    "|là|adalah|είναι|yra|ja|jest|brzmi|равен|такой|это|है|हैं|هي|هو|هى|است|היא|הוא|คือ"
)
# What may stand between "is" and the value.
COPULA_FILLER = (
    "now|still|just|currently|set|reset|changed|updated|actually|simply|literally|again|probably|called"
    "|going|been|be|jetzt|noch|nun|maintenant|toujours|ahora|todavía|agora|adesso|nu|теперь"
)
COPULA_UNSPACED = "是|为|為|は|:|는|은|이|가|เป็น|คือ|هي|هو|היא"

# Nouns that make "password …" a thing about passwords.
COMPOUND = frozenset(
    """
    manager managers policy policies reset resets field fields hash hashes hashing rule rules requirement
    requirements protected protection protect change changes recovery rotation prompt prompts strength length
    generator vault vaults expiry expiration hint hints book authentication auth login logins store storage
    file files less-login box form page screen input list lists database db security safe app apps dialog
    history complexity entry leak leaks breach breaches sharing management managment link email mail question
    questions attempt attempts column parameter parameters variable variables setting settings argument option
    flag type
    """.split()
)

# Where passwords are kept; naming one gives nothing away.
MANAGERS = frozenset(
    """
    1password bitwarden lastpass keepass keepassxc keepass2 dashlane nordpass enpass vault vaultwarden keychain
    icloud passbolt roboform proton protonpass pass gopass psono keeper
    """.split()
)

# What one says of a password; none of these is one where it follows "is".
STATE = frozenset(
    """
    a about above actually after again all allowed almost already also always an and any anything apparently
    are as asked at available bad based because been before being below best better between beyond blank both
    broken but by case-sensitive classified clear coming common complex complicated compromised confidential
    correct cracked crap criminally currently dead default deprecated difficult done down due each easy either
    empty encrypted enough even ever every everything everywhere exactly expired fake far few fine first for
    forever forgotten former from full generated generic given gone good great hard hashed here hidden his
    horrible how if important in incorrect insecure inside invalid it its itself just kept kind known last lax
    leaked least less like likely literally local locked long longer lost made mandatory many maybe mentioned
    merely mine missing more most my myself named necessary needed neither never new next no nobody none nonsense
    not nothing now null obsolete obvious obviously of off often ok okay old on once one only open optional or
    other our out outdated over overdue part per perfect personal plain possible possibly pretty private probably
    provided public quite random rather ready really recorded redacted required reset right safe same saved
    secret secure seen sensitive set several shared she short shown simple since so some somehow something
    somewhere soon still stolen stored strange strong stuck such super supposed sure tbd temporary terrible that
    the their then there these they this those though three through tied to together told too tough tricky true
    trivial two typed ugly under unchanged undefined unique unknown unless unlisted unsafe until up up-to-date
    used useless usually valid very visible void was weak well what whatever when where wherever which while who
    whole wholly with within without wonderful worthless written wrong yes yet you your yours yourself
    see ask contact email call text message request get use try enter type choose pick minimum maximum characters
    letters digits check look string str text int bool password passwd pwd n/a na nil false optional? blank? tba
    case-insensitive self-explanatory out-of-date well-known
    abgelaufen alt anders auf bei bekannt bereits da dass der die das dem den dieselbe dasselbe dort ein eine
    erforderlich falsch fehlt gleich geheim gut hier im in immer jetzt kein kurz lang leer mit nicht nie neu noch
    nötig nur richtig schwach schwer sehr sicher siehe simpel stark steht unbekannt unsicher vergessen vom von
    verloren weg wichtig zu ungültig gesperrt
    dans le la les un une trop très sur pas plus oublié oubliée expiré incorrect faux bon mauvais perdu long court
    secret inconnu toujours celui le même requis obligatoire nécessaire faible fort vide voir chez avec
    en el los las una muy no más olvidada expirada incorrecta correcta larga corta secreta débil fuerte segura
    insegura desconocida necesaria obligatoria igual vacía mismo misma demasiado siempre ver está
    o os as um uma muito fraca forte correta longa curta expirou igual mesma vazia na no
    il lo gli troppo molto sbagliata corretta lunga corta scaduta segreta debole forte sicura nella nel
    het een te vergeten verlopen onjuist lang kort zwak sterk veilig onbekend verkeerd hetzelfde
    см смотри хранится забыт забыта лежит записан в на у неверный неправильный слишком очень тот такой же изменён
    """.split()
)
# Of these some are used as passwords too; after a sign, alone on the line, they are taken for one.
WEAK_PASSWORDS = frozenset("secret geheim secreto secreta segreto segreta".split())

# Endings of English words that say what was done to a password or how.
STATE_ENDINGS = ("ed", "ing", "ly", "able", "ible", "less", "'s", "n't", "tion")

# Words of ordinary sentences; a passphrase has none of them.
GRAMMAR = frozenset(
    """
    a an and are as at be been but by can do does each every for from had has have he her his i if in is it its
    me must my needs no not of on or our she should so than that the their them then there they this to today
    until was we were when which who will with you your always never again only too very
    """.split()
)

# Fragments of patterns, for the verbose, case-blind mode.
# What a name is of: "for the router", "to her phone", "(prod)".
OF = (
    rf"(?:'s)?(?:\s+(?:{QUALIFIER_START})\b(?:[^\n.!?;:=]|\.(?=\w)){{1,60}}?)?"
    r"(?:\s?\([^()\n]{1,40}\))?"
)
SIGN = r"\s{0,3}(?::=|=>|->|→|[:=|])\s{0,40}"
DASH = r"\s{1,3}[-–—]{1,2}\s{1,3}"
VERB = rf",?\s+(?:{COPULA})(?:\s+(?:{COPULA_FILLER}))*(?:\s+(?:to|zu|as))?:?\s+"
