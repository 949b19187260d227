package modelsim

import "maps"

// scripts are the stages of every task.
func scripts() map[string][]stage {
	all := map[string][]stage{}
	for _, agent := range []func() map[string][]stage{scannerScripts, designerScripts, webdevScripts, cmScripts, mentionScripts, tgBotScripts, builderScripts} {
		maps.Copy(all, agent())
	}
	return all
}
