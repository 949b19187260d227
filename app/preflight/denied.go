package preflight

import (
	"slices"
	"strings"
)

// furthest is how many words before a phrase may deny it.
const furthest = 8

// denied tells whether the phrase at a word is denied: a word that says no
// stands before it in the same part of the sentence, with nothing between but
// words that carry the no on ("nothing here is guaranteed") or what a verb of
// being says it of ("no outcome is guaranteed"). A no in a question or after
// another no denies nothing.
func (s squeezed) denied(which int) bool {
	no, named := false, false
	for i := which - 1; i >= 0 && which-i <= furthest && !s.opens[s.words[i+1].at]; i-- {
		here, next := s.words[i].text, s.words[i+1].text
		switch {
		case denials[here] && (s.rhetorical(i) || named && !nones[here]):
			return false
		case here == "nor": // it goes with another no
			return !no
		case denials[here]:
			no = !no
		case knowing[here] && next != "if" && next != "whether": // what nobody knows yet is said all the same
			return no
		case carriers[here]:
		case !named && !no && beings[next]:
			named = true
		default:
			return no
		}
	}
	return no
}

// rhetorical tells whether the no at a word asks for more: "why not buy now",
// "don't you want it", "can't believe it".
func (s squeezed) rhetorical(at int) bool {
	if opens := s.opens[s.words[at].at]; !opens && (s.words[at-1].text == "why" || s.words[at-1].text == "who") {
		return true
	}
	if at+1 == len(s.words) {
		return false
	}
	here, next := s.words[at].text, s.words[at+1].text
	if here == "no" && next == "to" {
		return true // who could say no to it
	}
	return strings.HasSuffix(here, "t") && !slices.Contains([]string{"not", "cannot"}, here) && asked[next] || next == "believe" && (here == "cant" || here == "cannot")
}

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

var (
	denials = setOf(`no not never nothing nobody none neither nor without cannot cant isnt arent wasnt werent wont dont doesnt didnt wouldnt couldnt shouldnt hasnt havent hadnt mustnt neednt aint hardly`)
	nones   = setOf(`no nothing none neither nor nobody`)
	asked   = setOf(`i you he she it this that they we everyone everybody`)
	beings  = setOf(`is are was were be been being will can could would should may might must has have`)
	knowing = setOf(`know knows knew known see sees told tell tells`)
	// carriers are the words over which a no reaches.
	carriers = setOf(`is are was were be been being am will can could would should may might must has have had do does did
		a an the any some such this that these those it its here there to of in on for from at by with about as if whether or ever yet even
		i you we he she they us them one anyone anybody anything everyone everything somebody someone who whoever
		promise promises promised promising guarantee guarantees guaranteed guaranteeing assure assures assured certain sure profit profits return returns gain gains
		price prices value token tokens coin coins chart future outcome result results thing things way reason kind sort form part
		say says said saying claim claims claiming mean means expect expects expected trust believe think thinks suggest suggests offer offers offered offering
		make makes making give gives let try trying read take taken come comes position need needs know knows knew known tell tells told see sees
		holder holders people person agent agents team word words advice post posts plan please your our their my`)
)
