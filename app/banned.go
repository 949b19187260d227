package app

// BannedPhrases are the words that no post may hold unless the team says
// otherwise: promises of profit and of safety, and urgency that is none. A word
// with * stands for all that begin so, a # for any number.
func BannedPhrases() []string {
	return []string{
		// Promises.
		"guarantee*", "risk free", "no risk", "zero risk", "riskless", "can't lose", "cannot lose", "can't go wrong", "safe investment", "sure thing", "sure win", "easy money", "free money",
		"passive income", "financial freedom", "get rich", "make you rich", "make us rich", "be rich", "life changing", "generational wealth", "double your", "triple your", "#x your",
		"#x gain*", "#x return*", "#x profit*", "#x soon", "#x incoming", "easy #x", "next #x", "will #x", "can only go up", "only goes up", "will go up", "going to go up", "will moon", "going to moon", "to the moon",
		"will pump", "about to pump", "will explode", "about to explode", "will skyrocket", "price will rise", "promise* profit*", "promise* return*", "promise of profit*", "promise of return*",
		"profit* promised", "assured profit*", "assured return*", "profit* assured", "certain profit*", "you will profit", "you'll profit", "you will earn", "you'll earn",
		// Urgency.
		"act now", "act fast", "buy now", "ape in", "hurry", "hurry up", "last chance", "final chance", "last call", "don't miss", "do not miss", "before it's too late", "before it is too late",
		"too late to buy", "limited time", "time is running out", "running out of time", "only hours left", "only # hours left", "only minutes left", "only # minutes left", "now or never",
		"once in a lifetime", "fomo", "you will regret", "you'll regret", "still early", "get in early", "get in now", "load your bags", "fill your bags",
	}
}
