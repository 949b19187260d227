package effects

import "vivra/app"

// Said is the post on X that an effect makes, false for any other kind.
func Said(e app.Effect) (app.Said, bool) {
	p, ok := postOf(e)
	return app.Said{Text: p.Text, Reply: p.Answers != ""}, ok
}
