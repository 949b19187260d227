package app

import "fmt"

// Parts is how much of a publication that takes several calls is out.
type Parts struct {
	Out, Total int
	Posts      bool // all of them are posts on X
}

// Broken tells whether it is out in part.
func (p Parts) Broken() bool { return p.Out > 0 && p.Out < p.Total }

// Noun is what one of the parts is called.
func (p Parts) Noun() string {
	if p.Posts {
		return "post"
	}
	return "part"
}

// String says it in words, such as "2 of 5 posts are out".
func (p Parts) String() string {
	verb := "are"
	if p.Out == 1 {
		verb = "is"
	}
	return fmt.Sprintf("%d of %d %ss %s out", p.Out, p.Total, p.Noun(), verb)
}
