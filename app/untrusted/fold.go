package untrusted

import (
	"strings"
	"unicode"
)

// Fold is text as a hurried reader takes it: normalised, with the letters of
// other alphabets that pass for Latin ones, and the digits of every script, as
// ASCII. It is for looking at a text, not for showing it.
func Fold(text string) string {
	if plain(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if r <= unicode.MaxASCII {
			return r
		}
		if latin, ok := lookalikes[r]; ok {
			return latin
		}
		return digit(r)
	}, Normalise(text))
}

// digit returns the ASCII digit of a decimal digit of any script, any other
// rune as it is. The digits of a script stand in a row, from its zero on.
func digit(r rune) rune {
	if !unicode.Is(unicode.Nd, r) {
		return r
	}
	for _, block := range unicode.Nd.R16 {
		if lo, hi := rune(block.Lo), rune(block.Hi); r >= lo && r <= hi {
			return '0' + (r-lo)%10
		}
	}
	for _, block := range unicode.Nd.R32 {
		if lo, hi := rune(block.Lo), rune(block.Hi); r >= lo && r <= hi {
			return '0' + (r-lo)%10
		}
	}
	return r
}

// lookalikes are the letters that NFKC leaves and that are drawn like Latin
// ones in common fonts, after Unicode's confusables.
var lookalikes = pairs(
	"аɑα", 'a', "АΑᎪ", 'A', "ЬƄ", 'b', "ВΒᏴ", 'B', "сϲᴄⲥ", 'c', "СϹᏟⅭ", 'C', "ԁᏧ", 'd', "Ꭰ", 'D',
	"еєҽ℮ε", 'e', "ЕΕᎬ", 'E', "ϝ", 'f', "Ϝ", 'F', "ɡց", 'g', "ԌᏀ", 'G', "һհᏂ", 'h', "НΗᎻ", 'H',
	"іıιӏ", 'i', "ІΙӀ", 'I', "јϳ", 'j', "ЈᎫ", 'J', "кκ", 'k', "КΚᏦ", 'K', "ⅼ", 'l', "Ꮮ", 'L', "м", 'm', "МΜᎷ", 'M',
	"ոռ", 'n', "Ν", 'N', "оοօ", 'o', "ОΟՕ", 'O', "рρ", 'p', "РΡᏢ", 'P', "ԛ", 'q', "ⲅг", 'r', "Ꭱ", 'R',
	"ѕꜱ", 's', "ЅᏚ", 'S', "тτ", 't', "ТΤᎢ", 'T', "υս", 'u', "ՍՄ", 'U', "ѵν", 'v', "ѴᏙ", 'V', "ѡԝω", 'w', "ԜᎳ", 'W',
	"хχⲭ×✕✖", 'x', "ХΧ", 'X', "уγү", 'y', "УΥҮᎩ", 'Y', "ᴢ", 'z', "ΖᏃ", 'Z', "〇", '0',
)

func pairs(args ...any) map[rune]rune {
	table := map[rune]rune{}
	for i := 0; i < len(args); i += 2 {
		for _, r := range args[i].(string) {
			table[r] = args[i+1].(rune)
		}
	}
	return table
}
