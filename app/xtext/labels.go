package xtext

import (
	"math"
	"slices"
	"unicode/utf16"
)

// maxLabel is the longest label that DNS has, as it is sent.
const maxLabel = 63

// labelsFit tells whether each label of a host is short enough for DNS.
func labelsFit(host []uint16) bool {
	for label := range slices.Values(cut(host, func(c uint16) bool { return c == '.' })) {
		if n := asciiLength(label); n < 1 || n > maxLabel {
			return false
		}
	}
	return true
}

// cut splits u at what is a dot.
func cut(u []uint16, dot func(uint16) bool) (parts [][]uint16) {
	for {
		at := slices.IndexFunc(u, dot)
		if at < 0 {
			return append(parts, u)
		}
		parts, u = append(parts, u[:at]), u[at+1:]
	}
}

// asciiLength is how long a label is as it is sent. The full stops of other
// scripts part it further.
func asciiLength(label []uint16) (n int) {
	parts := cut(label, func(c uint16) bool { return c == '。' || c == '．' || c == '｡' })
	for _, part := range parts {
		if slices.ContainsFunc(part, func(c uint16) bool { return c < ' ' || c > '~' }) {
			n += len(punycode) + encodedLength(utf16Runes(part))
			continue
		}
		n += len(part)
	}
	return n + len(parts) - 1
}

// utf16Runes are the characters of u; half a one stays by itself.
func utf16Runes(u []uint16) (runes []rune) {
	for i := 0; i < len(u); i++ {
		r := rune(u[i])
		if i+1 < len(u) {
			if whole := utf16.DecodeRune(r, rune(u[i+1])); whole != '\uFFFD' {
				r = whole
				i++
			}
		}
		runes = append(runes, r)
	}
	return runes
}

// The parameters of Punycode (RFC 3492).
const (
	base        = 36
	tMin        = 1
	tMax        = 26
	skew        = 38
	damp        = 700
	initialBias = 72
	initialN    = 128
)

// encodedLength is how long a label is in Punycode; one of more characters than
// DNS allows is not counted to its end.
func encodedLength(label []rune) int {
	if len(label) > maxLabel {
		return len(label)
	}
	length, handled := 0, 0
	for _, r := range label {
		if r < initialN {
			handled++
		}
	}
	if length = handled; handled > 0 {
		length++ // the mark after the plain ones
	}
	n, delta, bias, first := rune(initialN), 0, initialBias, true
	for handled < len(label) {
		next := rune(math.MaxInt32)
		for _, r := range label {
			if r >= n {
				next = min(next, r)
			}
		}
		delta += int(next-n) * (handled + 1)
		n = next
		for _, r := range label {
			if r < n {
				delta++
			}
			if r == n {
				length += digits(delta, bias)
				handled++
				bias = adapt(delta, handled, first)
				delta, first = 0, false
			}
		}
		delta++
		n++
	}
	return length
}

// digits is how many digits a delta takes.
func digits(delta, bias int) int {
	for n, k := 1, base; ; n, k = n+1, k+base {
		t := min(max(k-bias, tMin), tMax)
		if delta < t {
			return n
		}
		delta = (delta - t) / (base - t)
	}
}

func adapt(delta, handled int, first bool) int {
	if delta /= 2; first {
		delta /= damp / 2
	}
	delta += delta / handled
	k := 0
	for ; delta > (base-tMin)*tMax/2; k += base {
		delta /= base - tMin
	}
	return k + (base-tMin+1)*delta/(delta+skew)
}
