package xtext

// afterPort, afterPath and afterQuery return where the part of an address ends
// that begins at i, i itself when there is none.

func afterPort(u []uint16, i int) int {
	if i+1 >= len(u) || u[i] != ':' || !digit(u[i+1]) {
		return i
	}
	for i++; i < len(u) && digit(u[i]); i++ {
	}
	return i
}

// afterPath leaves out the punctuation of the sentence around an address.
// Brackets belong to a path in pairs, one within another at most; a path ends
// with a pair only where it could have ended before it.
func afterPath(u []uint16, i int) int {
	if i >= len(u) || u[i] != '/' {
		return i
	}
	i++
	end := i
	for i < len(u) {
		switch n := brackets(u[i:]); {
		case n > 0:
			if end == i {
				end += n
			}
			i += n
		case !pathChar(u[i]):
			return end
		default:
			if i++; pathEnd(u[i-1]) {
				end = i
			}
		}
	}
	return end
}

// brackets is the length of what stands in a pair of brackets, with them.
func brackets(u []uint16) int {
	if len(u) == 0 || u[0] != '(' {
		return 0
	}
	i := 1 + pathChars(u[1:])
	if i == len(u) {
		return 0
	}
	if u[i] == '(' {
		n := pathChars(u[i+1:])
		if i += 1 + n; n == 0 || i == len(u) || u[i] != ')' {
			return 0
		}
		i += 1 + pathChars(u[i+1:])
	} else if i == 1 {
		return 0
	}
	if i == len(u) || u[i] != ')' {
		return 0
	}
	return i + 1
}

func pathChars(u []uint16) int {
	for i, c := range u {
		if !pathChar(c) {
			return i
		}
	}
	return len(u)
}

func afterQuery(u []uint16, i int) int {
	end := i
	if i < len(u) && u[i] == '?' {
		for i++; i < len(u) && queryChar(u[i]); i++ {
			if queryEnd(u[i]) {
				end = i + 1
			}
		}
	}
	return end
}
