package untrusted

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold is text as a hurried reader takes it: normalised, with the letters of
// other alphabets that pass for Latin ones, and the digits of every script, as
// ASCII. It is for looking at a text, not for showing it.
func Fold(text string) string {
	if plain(text) {
		return text
	}
	return latin(Normalise(text))
}

// latin is Fold for a text that is normalised.
func latin(seen string) string {
	if plain(seen) {
		return seen
	}
	return strings.Map(func(r rune) rune {
		if r <= unicode.MaxASCII {
			return r
		}
		if latin, ok := lookalikes[r]; ok {
			return latin
		}
		return digit(r)
	}, seen)
}

// Bare is a folded text without accents and other marks, and with Chinese
// digits as ASCII: what an address is looked for in.
func Bare(folded string) string {
	if plain(folded) {
		return folded
	}
	return strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII && unicode.Is(unicode.M, r) {
			return -1
		}
		if digit, ok := numerals[r]; ok {
			return digit
		}
		return r
	}, norm.NFD.String(folded))
}

var numerals = pairs("零", '0', "一", '1', "二", '2', "三", '3', "四", '4', "五", '5', "六", '6', "七", '7', "八", '8', "九", '9')

// digit returns the ASCII digit of a decimal digit of any script, any other
// rune as it is. The digits of a script stand in a row, from its zero on.
func digit(r rune) rune {
	for _, row := range rows {
		if r >= row.from && r <= row.to {
			return row.first + r - row.from
		}
	}
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
	// Small capitals, which read as letters of either case.
	"ᴀ", 'a', "ʙ", 'b', "ᴅ", 'd', "ᴇ", 'e', "ꜰ", 'f', "ɢ", 'g', "ʜ", 'h', "ɪ", 'i', "ᴊ", 'j', "ᴋ", 'k', "ʟ", 'l', "ᴍ", 'm', "ɴ", 'n',
	"ᴏ", 'o', "ᴘ", 'p', "ʀ", 'r', "ᴛ", 't', "ᴜ", 'u', "ᴠ", 'v', "ᴡ", 'w', "ʏ", 'y',
	"ꓮ", 'A', "ꓐ", 'B', "ꓚ", 'C', "ꓓ", 'D', "ꓰ", 'E', "ꓝ", 'F', "ꓖ", 'G', "ꓧ", 'H', "ꓲ", 'I', "ꓙ", 'J', "ꓗ", 'K', "ꓡ", 'L', "ꓟ", 'M',
	"ꓠ", 'N', "ꓳ", 'O', "ꓑ", 'P', "ꓣ", 'R', "ꓢ", 'S', "ꓔ", 'T', "ꓴ", 'U', "ꓦ", 'V', "ꓪ", 'W', "ꓫ", 'X', "ꓬ", 'Y', "ꓜ", 'Z',
	"⓿🄋🄌", '0',
)

// rows are the letters and digits in boxes and circles that NFKC leaves.
var rows = []struct{ from, to, first rune }{
	{0x1F150, 0x1F169, 'A'}, {0x1F170, 0x1F189, 'A'}, {0x1F1E6, 0x1F1FF, 'A'},
	{0x2776, 0x277E, '1'}, {0x2780, 0x2788, '1'}, {0x278A, 0x2792, '1'}, {0x24F5, 0x24FD, '1'},
}

func pairs(args ...any) map[rune]rune {
	table := map[rune]rune{}
	for i := 0; i < len(args); i += 2 {
		for _, r := range args[i].(string) {
			table[r] = args[i+1].(rune)
		}
	}
	return table
}
