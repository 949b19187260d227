package openai

// nesting follows the brackets of arguments as they come: to read all of them
// again with each piece would take far too long.
type nesting struct {
	length          int // bytes so far
	depth           int
	quoted, escaped bool
	closed          int // where the first object or list ended, 0: nowhere yet
}

func (n *nesting) read(text string) {
	for i := range len(text) {
		n.length++
		switch b := text[i]; {
		case n.escaped:
			n.escaped = false
		case n.quoted:
			n.escaped, n.quoted = b == '\\', b != '"'
		case b == '"':
			n.quoted = true
		case b == '{' || b == '[':
			n.depth++
		case b == '}' || b == ']':
			n.close()
		}
	}
}

func (n *nesting) close() {
	if n.depth--; n.depth == 0 && n.closed == 0 {
		n.closed = n.length
	}
}
