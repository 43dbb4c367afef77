"""Tokens that their issuer marked: API keys, access tokens and webhooks with a known shape.

Owns the table of shapes. Each row starts with a literal that every such token has, so that most
texts cost one substring search. If a shape could also be a word, its body must look generated.
"""

import functools
import re
from collections.abc import Iterable
from typing import NamedTuple

from ashd.access.secrets.normalisation import Reading, is_placeholder, is_random

# Bodies that many issuers share.
_ALNUM = "[A-Za-z0-9]"
_URL_SAFE = "[A-Za-z0-9_-]"
_HEX = "[0-9a-fA-F]"
_BASE64 = "[A-Za-z0-9+/]"


class Shape(NamedTuple):
    """The format of one issuer's tokens."""

    kind: str
    literal: str  # in every token of this shape, verbatim
    pattern: str  # the whole token
    generated: bool = False  # the body must mix letters and digits


_SHAPES = (
    Shape("anthropic_api_key", "sk-ant-", rf"sk-ant-{_URL_SAFE}{{12,}}", generated=True),
    Shape("openrouter_api_key", "sk-or-", rf"sk-or-(?:v\d-)?{_ALNUM}{{16,}}", generated=True),
    Shape(
        "openai_api_key",
        "sk-",
        rf"sk-(?:proj|svcacct|admin|None)-{_URL_SAFE}{{12,}}",
        generated=True,
    ),
    Shape(
        "openai_api_key", "sk-", rf"sk-(?:{_URL_SAFE}{{0,40}}[-_])?{_ALNUM}{{14,}}", generated=True
    ),
    Shape("github_token", "gh", rf"gh[pousr]_{_ALNUM}{{30,}}"),
    Shape("github_token", "github_pat_", r"github_pat_\w{22,}"),
    Shape(
        "gitlab_token",
        "gl",
        rf"gl(?:pat|oas|dt|rt|rtr|cbt|ptt|ft|imt|wt|agent|soat|ffct)-{_URL_SAFE}{{16,}}",
    ),
    Shape("aws_access_key", "A", r"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    Shape("aws_bedrock_key", "ABSK", rf"ABSK{_BASE64}{{100,}}"),
    Shape("aws_bedrock_key", "bedrock-api-key-", rf"bedrock-api-key-{_BASE64}{{40,}}"),
    Shape("google_api_key", "AIza", rf"AIza{_URL_SAFE}{{33,}}"),
    Shape("google_api_key", "AQ.Ab", rf"AQ\.Ab{_URL_SAFE}{{40,}}", generated=True),
    Shape("google_api_key", ":APA91b", rf"AAAA{_URL_SAFE}{{7}}:APA91b{_URL_SAFE}{{100,}}"),
    Shape("google_oauth_token", "ya29.", rf"ya29\.{_URL_SAFE}{{20,}}"),
    Shape("google_oauth_token", "GOCSPX-", rf"GOCSPX-{_URL_SAFE}{{20,}}"),
    Shape(
        "slack_token",
        "xox",
        rf"xox[abceoprs][-.](?:xox[bp]-)?{_ALNUM}[A-Za-z0-9-]{{9,}}",
        generated=True,
    ),
    Shape("slack_token", "xapp-", r"xapp-\d-[A-Za-z0-9-]{20,}"),
    Shape(
        "slack_webhook",
        "hooks.slack.com/",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/\w+/\w+/\w{10,}",
    ),
    Shape("grant_token", "ashtok_", rf"ashtok_{_URL_SAFE}{{43,}}"),  # the daemon's own
    Shape("huggingface_token", "hf_", rf"hf_{_ALNUM}{{20,}}"),
    Shape("huggingface_token", "api_org_", rf"api_org_{_ALNUM}{{20,}}"),
    Shape("npm_token", "npm_", rf"npm_{_ALNUM}{{30,}}"),
    Shape("pypi_token", "pypi-", rf"pypi-{_URL_SAFE}{{30,}}", generated=True),
    Shape("rubygems_token", "rubygems_", rf"rubygems_{_HEX}{{32,}}"),
    Shape("docker_token", "dckr_", rf"dckr_(?:pat|oat)_{_URL_SAFE}{{20,}}"),
    Shape("stripe_api_key", "k_", rf"[sr]k_(?:live|test|prod)_{_ALNUM}{{10,}}"),
    Shape("stripe_api_key", "whsec_", r"whsec_[A-Za-z0-9+/=]{24,}"),
    Shape("square_token", "sq0", rf"sq0[a-z]{{3}}-{_URL_SAFE}{{20,}}"),
    Shape("paypal_token", "access_token$", rf"access_token\$production\${_ALNUM}+\${_HEX}{{20,}}"),
    Shape("ebay_token", "v^1.1#", r"v\^1\.1#i\^1#(?:[A-Za-z]\^[^#\s]{1,20}#){1,6}t\^[\w+/=]{20,}"),
    Shape("shopify_token", "shp", rf"shp(?:at|ca|pa|ss|ua)_{_HEX}{{32}}"),
    Shape("sendgrid_api_key", "SG.", rf"SG\.{_URL_SAFE}{{16,}}\.{_URL_SAFE}{{16,}}"),
    Shape("mailgun_api_key", "key-", r"key-[0-9a-z]{32}(?![0-9a-z])", generated=True),
    Shape("mailchimp_api_key", "-us", rf"{_HEX}{{32}}-us\d{{1,2}}(?!\w)"),
    Shape("brevo_api_key", "xkeysib-", rf"xkeysib-{_HEX}{{64}}"),
    Shape("twilio_api_key", "SK", r"SK[0-9a-f]{32}(?![0-9a-zA-Z])"),
    Shape(
        "telegram_bot_token",
        ":",
        rf"(?:bot)?\d{{6,12}}:{_URL_SAFE}{{33,36}}(?!{_URL_SAFE})",
        generated=True,
    ),
    Shape(
        "discord_webhook",
        "/api/webhooks/",
        rf"discord(?:app)?\.com/api/webhooks/\d{{15,20}}/{_URL_SAFE}{{40,}}",
    ),
    Shape(
        "teams_webhook",
        ".webhook.office.com/",
        rf"webhook\.office\.com/webhookb2/[\w@-]+/\w+/{_HEX}{{32}}",
    ),
    Shape("digitalocean_token", "_v1_", rf"do[opr]_v1_{_HEX}{{32,}}"),
    Shape("heroku_api_key", "HRKU-", rf"HRKU-{_URL_SAFE}{{30,}}"),
    Shape("fly_token", "fm", r"fm[12][ar]?_[A-Za-z0-9+/=,_-]{60,}"),
    Shape("fly_token", "fo1_", rf"fo1_{_URL_SAFE}{{30,}}"),
    Shape("fly_token", "FlyV1 ", r"FlyV1 fm\d_[A-Za-z0-9+/=,_-]{30,}"),
    Shape("netlify_token", "nfp_", rf"nfp_{_ALNUM}{{30,}}"),
    Shape("supabase_token", "sb", rf"sb(?:p|_secret)_{_URL_SAFE}{{20,}}", generated=True),
    Shape("planetscale_token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[\w.=-]{20,}"),
    Shape("neon_api_key", "napi_", rf"napi_{_ALNUM}{{40,}}"),
    Shape("databricks_token", "dose", rf"dose{_HEX}{{32}}(?!\w)"),
    Shape("databricks_token", "dapi", rf"dapi{_HEX}{{32}}(?:-\d)?(?!\w)"),
    Shape("vault_token", "hv", rf"hv[sbr]\.{_URL_SAFE}{{20,}}"),
    Shape("terraform_token", ".atlasv1.", rf"{_ALNUM}{{14}}\.atlasv1\.{_URL_SAFE}{{40,}}"),
    Shape("doppler_token", "dp.", rf"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]+\.)?{_ALNUM}{{30,}}"),
    Shape("tailscale_key", "tskey-", rf"tskey-[a-z]+-{_ALNUM}+-{_ALNUM}{{16,}}"),
    Shape("cloudflare_key", "v1.0-", rf"v1\.0-{_HEX}{{24}}-{_HEX}{{100,}}"),
    Shape("groq_api_key", "gsk_", rf"gsk_{_ALNUM}{{30,}}"),
    Shape("xai_api_key", "xai-", rf"xai-{_ALNUM}{{40,}}"),
    Shape("perplexity_api_key", "pplx-", rf"pplx-{_ALNUM}{{30,}}"),
    Shape("replicate_token", "r8_", rf"r8_{_ALNUM}{{30,}}"),
    Shape("nvidia_api_key", "nvapi-", rf"nvapi-{_URL_SAFE}{{40,}}"),
    Shape("tavily_api_key", "tvly-", rf"tvly-{_URL_SAFE}{{20,}}", generated=True),
    Shape("langsmith_api_key", "lsv2_", rf"lsv2_(?:pt|sk)_{_HEX}{{32}}_{_HEX}{{10}}"),
    Shape("langfuse_api_key", "sk-lf-", rf"sk-lf-{_HEX}{{8}}-[0-9a-f-]{{27}}"),
    Shape("fireworks_api_key", "fw_", rf"fw_{_ALNUM}{{20,}}", generated=True),
    Shape("elevenlabs_api_key", "sk_", rf"sk_{_HEX}{{48}}(?!\w)"),
    Shape("pinecone_api_key", "pcsk_", rf"pcsk_{_URL_SAFE}{{40,}}"),
    Shape("jina_api_key", "jina_", rf"jina_{_URL_SAFE}{{40,}}"),
    Shape("voyage_api_key", "al-", rf"al-{_URL_SAFE}{{43}}(?!{_URL_SAFE})", generated=True),
    Shape("voyage_api_key", "pa-", rf"pa-{_URL_SAFE}{{43}}(?!{_URL_SAFE})", generated=True),
    Shape("cerebras_key", "csk-", rf"csk-{_ALNUM}{{40,}}"),
    Shape("together_api_key", "tgp_v", rf"tgp_v\d_{_URL_SAFE}{{40,}}"),
    Shape(
        "modal_token", "ak-", rf"ak-(?=[a-z0-9]{{0,21}}[A-Z]){_ALNUM}{{22}}(?!\w)", generated=True
    ),
    Shape(
        "modal_token", "as-", rf"as-(?=[a-z0-9]{{0,21}}[A-Z]){_ALNUM}{{22}}(?!\w)", generated=True
    ),
    Shape("cursor_api_key", "crsr_", rf"crsr_{_HEX}{{40,}}"),
    Shape("cursor_api_key", "key_", rf"key_{_HEX}{{64}}(?!\w)"),
    Shape("firecrawl_api_key", "fc-", rf"fc-{_HEX}{{32}}(?!\w)"),
    Shape("brave_api_key", "BSA", rf"BSA{_URL_SAFE}{{28}}(?!{_URL_SAFE})", generated=True),
    Shape("runpod_api_key", "rpa_", rf"rpa_{_ALNUM}{{30,}}"),
    Shape("e2b_api_key", "e2b_", rf"e2b_{_HEX}{{40}}"),
    Shape("daytona_api_key", "dtn_", rf"dtn_{_HEX}{{64}}"),
    Shape("wandb_api_key", "wandb_v", rf"wandb_v\d_{_URL_SAFE}{{40,}}"),
    Shape("composio_api_key", "ak_", rf"ak_{_URL_SAFE}{{20}}(?!{_URL_SAFE})", generated=True),
    Shape("mem0_api_key", "m0-", rf"m0-{_ALNUM}{{40}}(?!\w)", generated=True),
    Shape("zep_api_key", "z_", rf"z_{_URL_SAFE}{{100,}}", generated=True),
    Shape("zapier_url", "mcp.zapier.com/", rf"mcp\.zapier\.com/api/[\w/]*{_URL_SAFE}{{40,}}"),
    Shape("vercel_token", "vercel_blob_", r"vercel_blob_rw_\w{40,}"),
    Shape("api_key", "rnd_", rf"rnd_{_ALNUM}{{28,}}", generated=True),
    Shape("api_key", "cio", rf"cio{_ALNUM}{{32}}(?!\w)", generated=True),
    Shape("sanity_token", "sk", rf"sk{_ALNUM}{{80,}}", generated=True),
    Shape(
        "convex_key",
        "|",
        r"(?:prod|dev|preview|project):[a-z0-9:-]{1,120}\|"
        rf"(?!{_HEX}+(?!\w)){_BASE64}{{40,}}",
    ),
    Shape("infisical_token", "st.", rf"st\.{_HEX}{{24}}\.{_HEX}{{32}}\.{_HEX}{{32}}"),
    Shape(
        "bitwarden_token",
        "0.",
        rf"0\.{_HEX}{{8}}-(?:{_HEX}{{4}}-){{3}}{_HEX}{{12}}\.{_ALNUM}{{30}}:{_BASE64}{{22}}==",
    ),
    Shape("honeycomb_api_key", "hca", rf"hca[a-z]{{2}}_{_ALNUM}{{50,}}"),
    Shape("mailersend_api_key", "mlsn.", rf"mlsn\.{_HEX}{{60,}}"),
    Shape("tinybird_token", "p.eyJ", rf"p\.eyJ{_URL_SAFE}{{10,}}\.{_URL_SAFE}{{20,}}"),
    Shape("octopus_api_key", "API-", r"API-[A-Z0-9]{25,}(?!\w)", generated=True),
    Shape("rapidapi_key", "jsn", r"[a-z0-9]{10}msh[a-z0-9]{15}p1[a-z0-9]{6}jsn[a-z0-9]{12}"),
    Shape("adafruit_key", "aio_", rf"aio_{_ALNUM}{{28}}(?!\w)"),
    Shape("paddle_api_key", "pdl_", r"pdl_(?:live|sdbx)_apikey_\w{40,}"),
    Shape("inngest_key", "signkey-", rf"signkey-[a-z]+-{_HEX}{{64}}"),
    Shape("rootly_token", "rootly_", rf"rootly_{_HEX}{{64}}"),
    Shape(
        "launchdarkly_token", "api-", rf"api-{_HEX}{{8}}-(?:{_HEX}{{4}}-){{3}}{_HEX}{{12}}(?!\w)"
    ),
    Shape("notion_token", "ntn_", rf"ntn_{_ALNUM}{{40,}}"),
    Shape("notion_token", "secret_", rf"secret_{_ALNUM}{{40,}}", generated=True),
    Shape("linear_api_key", "lin_", rf"lin_(?:api|oauth)_{_ALNUM}{{32,}}"),
    Shape("figma_token", "fig", rf"fig[doru]_{_URL_SAFE}{{30,}}"),
    Shape("airtable_token", "pat", rf"pat{_ALNUM}{{14}}\.{_HEX}{{64}}"),
    Shape(
        "atlassian_token",
        "AT",
        rf"AT(?:ATT3|CTT3|BB){_URL_SAFE}{{24,}}(?:={_HEX}{{8}})?",
        generated=True,
    ),
    Shape("postman_api_key", "PMAK-", rf"PMAK-{_HEX}{{24}}-{_HEX}{{34}}"),
    Shape("newrelic_api_key", "NR", rf"NR(?:AK|JS|II|IQ|RA)-{_URL_SAFE}{{19,}}"),
    Shape("grafana_token", "gl", rf"gl(?:sa|c)_{_ALNUM}[A-Za-z0-9_+/=]{{30,}}"),
    Shape("sentry_token", "sntry", r"sntry[su]_[A-Za-z0-9+/=_]{40,}"),
    Shape("dynatrace_token", "dt0", r"dt0[cs]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    Shape("sonar_token", "sq", rf"sq[uap]_{_HEX}{{40}}"),
    Shape("pulumi_token", "pul-", rf"pul-{_HEX}{{40}}"),
    Shape("resend_api_key", "re_", rf"re_{_ALNUM}{{6,12}}_{_ALNUM}{{20,}}", generated=True),
    Shape("mapbox_token", "sk.eyJ", rf"sk\.eyJ{_URL_SAFE}{{20,}}\.{_URL_SAFE}{{16,}}"),
    Shape("facebook_token", "IGA", rf"IGA{_ALNUM}{{80,}}", generated=True),
    Shape("facebook_token", "EAA", rf"EAA{_ALNUM}{{60,}}", generated=True),
    Shape("buildkite_token", "bkua_", rf"bkua_{_HEX}{{40}}"),
    Shape("circleci_token", "CCIPAT_", rf"CCIPAT_{_ALNUM}+_{_HEX}{{40}}"),
    Shape("artifactory_token", "AKCp", rf"AKCp{_ALNUM}{{60,}}"),
    Shape("typeform_token", "tfp_", rf"tfp_{_ALNUM}[A-Za-z0-9_.=-]{{40,}}"),
    Shape("onepassword_token", "ops_eyJ", r"ops_eyJ[A-Za-z0-9+/=]{60,}"),
    Shape(
        "onepassword_secret_key",
        "A3-",
        r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",
    ),
    Shape(
        "azure_key",
        "Key=",
        r"(?:Account|SharedAccess|Primary|Secondary)Key=[A-Za-z0-9+/]{40,}={0,2}",
    ),
    Shape("azure_devops_token", "AZDO", rf"{_ALNUM}{{70,80}}AZDO{_ALNUM}{{4}}"),
    Shape("nuget_api_key", "oy2", r"oy2[a-z0-9]{43}(?![a-z0-9])"),
    Shape("asana_token", ":", rf"\d/\d{{10,20}}(?:/\d{{10,20}})?:{_HEX}{{32}}(?!\w)"),
    Shape("dropbox_token", "sl.", rf"sl\.(?:u\.)?{_URL_SAFE}{{100,}}", generated=True),
    Shape("azure_key", "sig=", r"sig=[A-Za-z0-9%+/]{40,}(?:%3D|=)", generated=True),
    Shape("azure_key", "sig=", rf"sig={_URL_SAFE}{{43}}(?!{_URL_SAFE})", generated=True),
    Shape("azure_key", "JQQJ99", rf"{_ALNUM}{{40,60}}JQQJ99{_ALNUM}{{20,30}}"),
    Shape("azure_key", "Q~", r"[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}"),
    Shape("aws_signature", "X-Amz-Signature=", rf"X-Amz-Signature={_HEX}{{64}}"),
    Shape("vault_token", "s.", r"(?<![\w.])s\.(?=[a-z]*[A-Z])[A-Za-z0-9]{24}(?!\w)"),
    Shape("private_key", "AGE-SECRET-KEY-", r"AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{50,}"),
    Shape("private_key", "nsec1", r"nsec1[02-9ac-hj-np-z]{58}(?!\w)"),
    Shape("private_key", "xprv", rf"[xyz]prv{_ALNUM}{{100,}}"),
)

_MARKED = (
    # "pk_" marks a publishable key, "cs_" a session id.
    Shape(
        "api_key",
        "live_",
        rf"(?<![A-Za-z0-9_])(?!pk_|cs_)(?:[a-z]{{2,12}}_live_{_ALNUM}{{24,}}|live_{_ALNUM}{{30,}})",
        generated=True,
    ),
    Shape(
        "api_key",
        "prod_",
        rf"(?<![A-Za-z0-9_])(?:sk|tr|api)_prod_{_URL_SAFE}{{20,}}",
        generated=True,
    ),
)
"""Shapes by which many issuers mark a key to the real data."""

# Shapes without a literal: a snowflake in base64, a time, a signature.
_DISCORD = re.compile(r"[MNO][\w-]{22,28}\.[\w-]{6,7}\.[\w-]{27,}")


@functools.cache
def _compiled(shape: Shape) -> re.Pattern[str]:
    """Return a shape's pattern, compiled when its literal is first found: most never are."""
    return re.compile(shape.pattern)


def _is_real(shape: Shape, token: str) -> bool:
    """Return whether a match is a token, not a description of one."""
    return is_random(token) if shape.generated else not is_placeholder(token[4:])


def find_token(reading: Reading) -> str | None:
    """Return the kind of an issuer's token in the text, or None."""
    if kind := _first_kind(_SHAPES, reading):
        return kind
    for match in _DISCORD.finditer(reading.text):
        if reading.begins_at(match.start()) and is_random(match[0], distinct=16):
            return "discord_token"
    return None


def find_marked_key(reading: Reading) -> str | None:
    """Return "api_key" for a key of any issuer that is marked `live_` or `prod_`."""
    return _first_kind(_MARKED, reading)


def _first_kind(shapes: Iterable[Shape], reading: Reading) -> str | None:
    """Return the kind of the first shape that a token in the text has, or None."""
    for shape in shapes:
        if shape.literal in reading.text:
            for match in _compiled(shape).finditer(reading.text):
                if reading.begins_at(match.start()) and _is_real(shape, match[0]):
                    return shape.kind
    return None
