package app

// BannedPhrases are the words that no post may hold unless the team says
// otherwise: promises of profit and of safety, and urgency that is none. A word
// with * stands for all that begin so, a # for any number, a | at the end for the
// end of a part of a sentence.
func BannedPhrases() []string {
	return []string{
		// Promises.
		"guarantee*", "risk free", "no risk", "zero risk", "riskless", "can't lose", "cannot lose", "can't go wrong", "safe investment", "sure thing", "sure win", "easy money", "free money",
		"passive income", "financial freedom", "get rich", "make you rich", "make us rich", "be rich |", "you will be rich", "you'll be rich", "we will be rich", "we'll be rich", "all be rich", "be rich by", "be rich in #", "be rich soon", "life changing", "generational wealth", "double your", "triple your", "#x your",
		"#x gain*", "#x return*", "#x profit*", "#x soon", "#x incoming", "easy #x", "next #x", "will #x", "can only go up", "only goes up", "will go up |", "going to go up |", "will go up by #", "will go up from here", "will go up soon", "will go up again", "price will go up", "price is going to go up", "token will go up", "value will go up", "chart will go up", "bags will go up", "will only go up", "will moon", "going to moon", "to the moon",
		"will pump", "about to pump", "will explode", "about to explode", "will skyrocket", "price will rise", "promise* profit*", "promise* return*", "promise of profit*", "promise of return*",
		"profit* promised", "assured profit*", "assured return*", "profit* assured", "certain profit*", "you will profit", "you'll profit", "you will earn", "you'll earn",
		// Urgency.
		"act now", "act fast", "buy now", "ape in", "hurry", "hurry up", "last chance", "final chance", "last call", "don't miss", "do not miss", "before it's too late", "before it is too late",
		"too late to buy", "limited time", "time is running out", "running out of time", "only hours left", "only # hours left", "only minutes left", "only # minutes left", "now or never",
		"once in a lifetime", "fomo", "you will regret", "you'll regret", "still early |", "still so early", "you are still early", "you're still early", "still early to buy", "still early enough", "get in early", "get in now", "load your bags", "fill your bags",
	}
}
