"""Parses shell text to find the words that are names of programs."""
import re
from typing import Iterator

BLANKS = " \t"
BREAKS = ";&|()\n"
# A command may begin after these.
KEYWORDS = {"if", "then", "else", "elif", "fi", "while", "until", "do", "done", "esac", "time", "!", "{", "}"}
ASSIGNMENT = re.compile(r"\w+(\[[^]]*\])?\+?=")
ARRAY = re.compile(r"\$\{\w+\[@\]\}")
DEFAULT = re.compile(r"\$\{\w+:?-([^}]*)\}")
# These start the program that their arguments name.
WRAPPERS = {"builtin", "command", "env", "exec", "nice", "nohup", "sudo", "xargs"}
SHELLS = {"sh", "bash", "dash"}
STARTS_OF_FIND = {"-exec", "-execdir", "-ok", "-okdir"}


class Scanner:
    """Splits shell text into commands, each a list of words; an expansion becomes `$` in its word."""

    def __init__(self, text: str):
        self.text = text
        self.at = 0
        self.commands: list[list[str]] = []
        self.functions: set[str] = set()
        self.document_ends: list[str] = []  # end markers of here-documents that begin on the next line

    def is_at(self, text: str) -> bool:
        return self.text.startswith(text, self.at)

    def is_among(self, characters: str) -> bool:
        return self.at < len(self.text) and self.text[self.at] in characters

    def skip_past(self, text: str) -> str:
        """Moves past the next `text` and returns the text before it."""
        start, end = self.at, self.text.find(text, self.at)
        end = len(self.text) if end < 0 else end
        self.at = min(end + len(text), len(self.text))
        return self.text[start:end]

    def skip_blanks(self) -> None:
        while self.is_among(BLANKS) or self.is_at("\\\n"):
            self.at += 2 if self.is_at("\\\n") else 1

    def read(self, end: str = "", keep: bool = True) -> "Scanner":
        """Reads up to the bracket `end`. Without `keep` the words are data, and only their substitutions count."""
        words: list[str] = []
        ended = False
        while not ended:
            self.skip_blanks()
            ended = self.at >= len(self.text) or self.text[self.at] == end
            if ended or self.is_among(BREAKS):
                if keep and words:
                    self.commands.append(words)
                if not ended:
                    self.read_break(not words, keep)
                words = []
            elif self.is_at("#"):
                self.at += len(self.text[self.at:].split("\n", 1)[0])
            elif self.is_among("<>"):
                self.read_redirection()
            else:
                self.read_argument(words)
        self.at += 1
        return self

    def read_break(self, is_first: bool, keep: bool) -> None:
        if is_first and self.is_at("(("):
            self.skip_past("))")
        elif self.is_at("("):
            self.at += 1
            self.read(")", keep)
        elif self.is_at(";;"):
            self.at += 2
            self.skip_case_pattern()
        elif self.is_at("\n"):
            self.at += 1
            self.skip_documents()
        else:
            self.at += 1

    def read_argument(self, words: list[str]) -> None:
        word = self.read_word()
        if self.is_at("(") and word.endswith("="):
            self.at += 1
            self.read(")", keep=False)
        elif self.is_at("()") and not words:
            self.at += 2
            self.functions.add(word)
        elif word.isdigit() and self.is_among("<>"):
            pass  # the number of a stream
        elif words or word not in KEYWORDS | {"[[", "case"}:
            words.append(word)
        elif word == "[[":
            self.read_test()
        elif word == "case":
            self.read_case_head()

    def read_word(self) -> str:
        parts = []
        while self.at < len(self.text) and not self.is_among(BLANKS + BREAKS + "<>"):
            parts.append(self.read_part())
        return "".join(parts)

    def read_part(self) -> str:
        if self.is_at("$"):
            return self.read_expansion()
        char = self.text[self.at]
        self.at += 1
        if char == "'":
            return self.skip_past("'")
        if char == '"':
            return self.read_quoted()
        if char == "`":
            return self.substitute(self.skip_past("`"))
        if char == "\\":
            self.at += 1
            return self.text[self.at - 1:self.at].strip("\n")
        return char

    def read_quoted(self) -> str:
        parts = []
        while self.at < len(self.text) and not self.is_at('"'):
            if self.is_among("$`\\"):
                parts.append(self.read_part())
            else:
                parts.append(self.text[self.at])
                self.at += 1
        self.at += 1
        return "".join(parts)

    def read_expansion(self) -> str:
        if self.is_at("${"):
            return self.read_braces()
        if self.is_at("$(("):
            self.skip_past("))")
        elif self.is_at("$("):
            self.at += 2
            self.read(")")
        else:
            self.at += 1
        return "$"

    def read_braces(self) -> str:
        start = self.at
        self.at += 2
        while self.at < len(self.text) and not self.is_at("}"):
            if self.is_among("$`\\"):
                self.read_part()
            else:
                self.at += 1
        self.at += 1
        return self.text[start:self.at]

    def substitute(self, text: str, keep: bool = True) -> str:
        inner = Scanner(text).read(keep=keep)
        self.commands += inner.commands
        return "$"

    def read_redirection(self) -> None:
        if self.is_at("<(") or self.is_at(">("):
            self.at += 2
            self.read(")")
            return
        operator = re.compile(r"<<<|<<-?|[<>]+[&|]?").match(self.text, self.at).group()
        self.at += len(operator)
        self.skip_blanks()
        word = self.read_word()
        if operator in ("<<", "<<-"):
            self.document_ends.append(word)

    def skip_documents(self) -> None:
        for end in self.document_ends:
            while self.at < len(self.text) and self.skip_past("\n").strip("\t") != end:
                pass
        self.document_ends = []

    def read_test(self) -> None:
        closing = re.compile(r"\s\]\]").search(self.text, self.at)
        end = closing.end() if closing else len(self.text)
        self.substitute(self.text[self.at:end], keep=False)
        self.at = end

    def read_case_head(self) -> None:
        for _ in ("subject", "in"):
            self.skip_blanks()
            self.read_word()
        self.skip_case_pattern()

    def skip_case_pattern(self) -> None:
        blank = re.compile(r"(\s|#.*)*").match(self.text, self.at)
        self.at = blank.end()
        if not re.compile(r"esac\b").match(self.text, self.at):
            self.skip_past(")")


def programs_of(words: list[str]) -> Iterator[str]:
    """The programs that one command starts, builtins of the shell included."""
    words = list(words)
    while words:
        head = words.pop(0)
        if ASSIGNMENT.match(head) or ARRAY.fullmatch(head):
            continue  # an array before a command may be empty
        chosen = DEFAULT.fullmatch(head)
        yield chosen[1] if chosen else head
        if head not in WRAPPERS:
            yield from started_by_arguments(head, words)
            return
        while words and (words[0].startswith("-") or words[0].isdigit()):
            if head == "command" and words[0] in ("-v", "-V"):
                return  # only looks the program up
            words.pop(0)


def started_by_arguments(head: str, words: list[str]) -> Iterator[str]:
    if head == "find":
        for option, word in zip(words, words[1:]):
            if option in STARTS_OF_FIND:
                yield word
    elif head in SHELLS and "-c" in words[:-1]:
        yield from programs_in(words[words.index("-c") + 1])
    elif head in ("trap", "eval") and words:
        yield from programs_in(words[0])


def programs_in(text: str) -> set[str]:
    """The names of all programs in shell text, except names that depend on variables and the text's own functions."""
    scanner = Scanner(text).read()
    found = {program for words in scanner.commands for program in programs_of(words)}
    return {name for name in found if name and "$" not in name} - scanner.functions
