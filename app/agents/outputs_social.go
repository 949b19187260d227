package agents

import "vivra/app/agent"

// ProfileValues are the fields of a profile on X.
type ProfileValues struct {
	Name   string  `json:"name" jsonschema:"at most 50 characters"`
	Bio    string  `json:"bio" jsonschema:"at most 160 characters"`
	URL    string  `json:"url" jsonschema:"the site, or the live page before there is a site"`
	Pfp    *string `json:"pfp" jsonschema:"sha256 of the picture, null to keep the one that is there"`
	Banner *string `json:"banner" jsonschema:"sha256 of the banner, null to keep the one that is there"`
}

// ProfileOutput is the output of cm.account_setup and cm.rebrand.
type ProfileOutput struct {
	Profile      ProfileValues `json:"profile" jsonschema:"the values as they were proposed"`
	ValidationID string        `json:"validation_id" jsonschema:"what x_profile_update returned"`
}

var profileLimits = limits{
	"profile.name":   text(1, 50),
	"profile.bio":    text(1, 160),
	"profile.url":    pattern(`^https?://\S{3,200}$`),
	"profile.pfp":    pattern(sha256Hex),
	"profile.banner": pattern(sha256Hex),
	"validation_id":  text(1, 80),
}

func accountSetupOutput() agent.Output {
	return agent.NewOutput[ProfileOutput]("account_setup", profileLimits.tighten, nil)
}

func rebrandOutput() agent.Output {
	return agent.NewOutput("rebrand", profileLimits.tighten, func(p ProfileOutput) []string {
		var f faults
		f.when(p.Profile.Pfp == nil || p.Profile.Banner == nil, "a rebrand sets both pfp and banner, from the kit")
		return f
	})
}

// Post is the output of a task that proposes one post.
type Post struct {
	Text         string   `json:"text" jsonschema:"the text as it was proposed"`
	Media        []string `json:"media" jsonschema:"sha256 of its pictures, at most 4"`
	ValidationID string   `json:"validation_id" jsonschema:"what x_post returned"`
}

func postOutput() agent.Output {
	return agent.NewOutput("post", limits{
		"text":          text(1, 1000),
		"media":         list(0, 4),
		"media[]":       pattern(sha256Hex),
		"validation_id": text(1, 80),
	}.tighten, func(p Post) []string {
		var f faults
		f.distinct("media", p.Media)
		return f
	})
}

// ThreadPost is one post of a thread.
type ThreadPost struct {
	Text  string   `json:"text" jsonschema:"the text as it was proposed"`
	Media []string `json:"media" jsonschema:"sha256 of its pictures, at most 4"`
}

// Thread is the output of cm.comeback_thread.
type Thread struct {
	Posts        []ThreadPost `json:"posts" jsonschema:"4 to 8 posts, in order"`
	ValidationID string       `json:"validation_id" jsonschema:"what x_thread returned"`
}

func threadOutput() agent.Output {
	return agent.NewOutput("thread", limits{
		"posts":           list(4, 8),
		"posts[].text":    text(1, 1000),
		"posts[].media":   list(0, 4),
		"posts[].media[]": pattern(sha256Hex),
		"validation_id":   text(1, 80),
	}.tighten, func(t Thread) []string {
		var f faults
		var texts []string
		for _, p := range t.Posts {
			texts = append(texts, p.Text)
		}
		f.distinct("the texts of the thread", texts)
		return f
	})
}

// TelegramSetup is the output of tg.setup.
type TelegramSetup struct {
	Title        string `json:"title" jsonschema:"at most 128 characters"`
	Description  string `json:"description" jsonschema:"at most 255 characters"`
	Rules        string `json:"rules" jsonschema:"the group's rules, at most 2000 characters"`
	Pinned       string `json:"pinned" jsonschema:"the pinned message, with the official address and no other, at most 2000 characters"`
	ValidationID string `json:"validation_id" jsonschema:"what tg_group_setup returned"`
}

func telegramSetupOutput() agent.Output {
	return agent.NewOutput[TelegramSetup]("tg_setup", limits{
		"title":         text(1, 128),
		"description":   text(1, 255),
		"rules":         text(20, 2000),
		"pinned":        text(42, 2000),
		"validation_id": text(1, 80),
	}.tighten, nil)
}

// TelegramAnswer is the output of tg.questions: an answer with its sources, or none.
type TelegramAnswer struct {
	Answer   *string  `json:"answer" jsonschema:"at most 600 characters, null when the token file does not hold the answer"`
	Sources  []string `json:"sources" jsonschema:"paths in the token file that the answer rests on, such as scan.timeline; empty without an answer"`
	NoAnswer bool     `json:"no_answer" jsonschema:"true when there is no answer"`
}

func telegramAnswerOutput() agent.Output {
	return agent.NewOutput("tg_answer", limits{
		"answer":    text(1, 600),
		"sources":   list(0, 10),
		"sources[]": pattern(`^(scan|verdict|identity|site|x|telegram|utility)(\.[a-z0-9_]+)*$`),
	}.tighten, func(a TelegramAnswer) []string {
		var f faults
		f.when((a.Answer == nil) != a.NoAnswer, "give an answer or set no_answer, one of the two")
		f.when(a.Answer != nil && len(a.Sources) == 0, "an answer must name its sources in the token file")
		return f
	})
}

// ModCandidate is a member who could moderate.
type ModCandidate struct {
	Member string `json:"member" jsonschema:"copied from tg_activity"`
	Reason string `json:"reason" jsonschema:"figures from tg_activity, at most 300 characters"`
}

// WeeklyMods is the output of tg.weekly_mods.
type WeeklyMods struct {
	Candidates []ModCandidate `json:"candidates" jsonschema:"at most 5, the strongest first; empty when nobody qualifies"`
}

func weeklyModsOutput() agent.Output {
	return agent.NewOutput("weekly_mods", limits{
		"candidates":          list(0, 5),
		"candidates[].member": text(1, 64),
		"candidates[].reason": text(10, 300),
	}.tighten, func(m WeeklyMods) []string {
		var f faults
		var members []string
		for _, c := range m.Candidates {
			members = append(members, c.Member)
		}
		f.distinct("candidates", members)
		return f
	})
}
