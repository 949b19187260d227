package tools

// Winner adds the votes of both channels, which may be empty. A tie goes to
// the option with more votes on X; nil is a tie that the team must break.
func Winner(x, telegram []int) (option *int, decidedBy string) {
	sum := make([]int, max(len(x), len(telegram)))
	for i := range sum {
		sum[i] = at(x, i) + at(telegram, i)
	}
	all := make([]int, len(sum))
	for i := range all {
		all[i] = i
	}
	first := leaders(all, sum)
	if len(first) == 1 {
		return &first[0], "votes"
	}
	if first = leaders(first, x); len(first) == 1 {
		return &first[0], "x_votes"
	}
	return nil, "team"
}

// leaders are those of the options that have the most votes.
func leaders(options, votes []int) (best []int) {
	most := -1
	for _, i := range options {
		switch v := at(votes, i); {
		case v > most:
			most, best = v, []int{i}
		case v == most:
			best = append(best, i)
		}
	}
	return best
}

func at(votes []int, i int) int {
	if i < len(votes) {
		return votes[i]
	}
	return 0
}
