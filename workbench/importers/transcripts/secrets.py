"""What looks like a password, key or token is taken out of a prompt before it is kept."""

from __future__ import annotations

import re

from workbench.importers.address import mask_address

_KEYS = re.compile(
    r"\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}"  # keys of model services and of payment services
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bhf_[A-Za-z0-9]{20,}|\bnpm_[A-Za-z0-9]{20,}"
    r"|\bxox[abeprs]-[\w-]{10,}|\b(?:AKIA|ASIA)[A-Z0-9]{12,}|\bAIza[\w-]{20,}"
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"
)
_BEARER = re.compile(r"(?i)\b((?:bearer|basic)\s+)[A-Za-z0-9+/_.=~-]{12,}")
_NAMED = re.compile(
    r"(?i)((?:[\w-]*(?:password|passwd|pwd|passphrase|passcode|secret|token|api[_-]?key|access[_-]?key|private[_-]?key"
    r"|passwort|contraseña|пароль|パスワード|비밀번호)|密码|密碼|口令|密钥|密鑰|令牌)"
    r"[\"']?\s*[:=：＝]\s*[\"']?)([^\s\"',;&，。；、]{6,})"
)
# A sentence that tells one; that "the password is required" tells none.
_TOLD = re.compile(
    r"(?i)(\b(?:password|passwd|pwd|passphrase|passcode|secret|token|(?:api|access|private)[ _-]?key)\s+(?:is|was)\s+"
    r"[\"'`]?)(?!(?:[a-z]+(?:ed|ing|ent|able|ible|ly|ory|en)|wrong|correct|incorrect|invalid|unknown|another|always)\b)"
    r"([^\s\"'`,;，。]{6,})"
)
_TOLD_IN_CHINESE = re.compile(r"((?:密码|密碼|口令|密钥|密鑰|令牌)(?:是|为|為)\s*[\"'“「`]?)([!-~]{6,})")
_OPTION = re.compile(
    r"(?i)((?:^|\s)--?(?:password|passwd|pass|token|secret|api-key)[ \t]+[\"']?)([^\s\"'-][^\s\"']{5,})"
)
_USER = re.compile(r"((?:^|\s)(?:-u|-U|--user|--proxy-user)[ \t=]*[\"']?[^\s:\"']{1,100}:)(?!\d+\b)([^\s\"']{3,})")
# After -p stands a password, a port or a path: letters and digits without a mark of the others are taken for the first.
_SHORT = re.compile(
    r"((?:^|\s)-p[ \t]*[\"']?)(?=[^\s\"']{0,100}[0-9])(?=[^\s\"']{0,100}[A-Za-z])"
    r"([^\s\"'/:.=-][^\s\"'/:]{5,})(?![^\s\"'])"
)
_ASKING = re.compile(
    r"(\b(?:sshpass|mysql\w{0,20}|mariadb\w{0,20})\b[^\n|;&]{0,200}?\s-p[ \t]?[\"']?)([^\s\"'-][^\s\"']{3,})"
)
_AFTER_A_NAME = (_BEARER, _NAMED, _TOLD, _TOLD_IN_CHINESE, _OPTION, _USER, _SHORT, _ASKING)
_PEM = ("-----BEGIN ", "PRIVATE KEY-----")


def masked(text: str) -> str:
    """`text` with whatever looks like a secret replaced by ***; what is none may be hit, never the rest of it."""
    text = _KEYS.sub("***", mask_address(_without_private_keys(text)))
    for pattern in _AFTER_A_NAME:
        text = pattern.sub(r"\1***", text)
    return text


def _without_private_keys(text: str) -> str:
    """A private key ends at its last line, or with the text."""
    opening, closing = _PEM
    parts, position = [], 0
    while (start := text.find(opening, position)) >= 0:
        head = text.find("-----", start + len(opening))
        if head < 0 or not text.startswith(closing, head + 5 - len(closing)):
            parts.append(text[position : start + len(opening)])
            position = start + len(opening)
            continue
        end = text.find(closing, head + 5)
        parts += [text[position:start], "***"]
        position = len(text) if end < 0 else end + len(closing)
    return "".join([*parts, text[position:]])
