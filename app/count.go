package app

import "strconv"

// Count is n with its thousands separated, followed by its noun.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Integer(int64(n)) + " " + many
}

// Integer shows n with its thousands separated: 1,312.
func Integer(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}
