package xtext

import "unicode"

// The sets of characters that the rules speak of. Each takes one UTF-16 unit;
// half a character counts as a letter of a foreign script.

// refused is what no post may hold.
func refused(c uint16) bool { return c == 0xFFFE || c == 0xFEFF || c == 0xFFFF }

func alnum(c uint16) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func letter(c uint16) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func digit(c uint16) bool { return c >= '0' && c <= '9' }

func among(c uint16, set string) bool {
	for i := range len(set) {
		if c == uint16(set[i]) {
			return true
		}
	}
	return false
}

// punctuation is what a word ends at; quotation marks are not in it.
func punctuation(c uint16) bool { return among(c, `!'#%&()*+,\-./:;<=>?@[]^_{|}~$`) }

func space(c uint16) bool {
	switch {
	case c >= 0x09 && c <= 0x0D, c == ' ', c == 0x85, c == 0xA0, c == 0x1680, c == 0x180E, c >= 0x2000 && c <= 0x200A,
		c == 0x2028, c == 0x2029, c == 0x202F, c == 0x205F, c == 0x3000:
		return true
	}
	return false
}

// direction turns the way in which a text runs.
func direction(c uint16) bool {
	return c >= 0x202A && c <= 0x202E || c == 0x061C || c == 0x200E || c == 0x200F || c >= 0x2066 && c <= 0x2069
}

// hostLetter may stand anywhere in a label of a host, hostChar within one, too.
func hostLetter(c uint16) bool { return !punctuation(c) && !space(c) && !refused(c) && !direction(c) }

func hostChar(c uint16) bool { return c == '-' || c == '_' || c == '.' || hostLetter(c) }

// precedes may stand before a link.
func precedes(c uint16) bool {
	return !alnum(c) && !among(c, "@$#") && c != '＠' && c != '＃' && !refused(c)
}

// accented are the Latin letters that are not ASCII, and accents.
func accented(c uint16) bool {
	switch {
	case c < 0xC0 || c == 0xD7 || c == 0xF7:
		return false
	case c <= 0x024F, c >= 0x0300 && c <= 0x036F, c >= 0x1E00 && c <= 0x1EFF:
		return true
	}
	switch c {
	case 0x0253, 0x0254, 0x0256, 0x0257, 0x0259, 0x025B, 0x0263, 0x0268, 0x026F, 0x0272, 0x0289, 0x028B, 0x02BB:
		return true
	}
	return false
}

// latin are accented letters in any case: of some only one is among them. The
// iotas are there for an accent that is one in capitals.
func latin(c uint16) bool {
	switch c {
	case 0x0260, 0x0269, 0x0275, 0x0280, 0x0283, 0x0288, 0x028A, 0x028C, 0x0292, 0x0399, 0x03B9, 0x1FBE, 0x2C65, 0x2C66, 0x2C7E, 0x2C7F, 0xA7DC:
		return true
	}
	return accented(c)
}

func cyrillic(c uint16) bool { return c >= 0x0400 && c <= 0x04FF || c >= 0x1C80 && c <= 0x1C87 }

// labelChar is a character of a host that is linked without a scheme.
func labelChar(c uint16) bool { return alnum(c) || c == '-' || latin(c) }

// word is a letter or a digit of a path.
func word(c uint16) bool { return alnum(c) || latin(c) || cyrillic(c) }

func pathChar(c uint16) bool { return among(c, "!*';:=+,.$/%#[]-_~@|&") || c == '–' || word(c) }

// pathEnd is what a path may end with.
func pathEnd(c uint16) bool { return among(c, "+-=_#/") || word(c) }

func queryChar(c uint16) bool { return alnum(c) || among(c, "!?*'@();:&=+$/%#[]-_.,~|") }

func queryEnd(c uint16) bool { return alnum(c) || among(c, "-_&=#/") }

// upper is a unit in capitals; ASCII and the rest stay apart.
func upper(c uint16) uint16 {
	r := unicode.ToUpper(rune(c))
	if r > 0xFFFF || c >= 0x80 && r < 0x80 {
		return c
	}
	return uint16(r)
}
