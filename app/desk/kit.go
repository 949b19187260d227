package desk

import (
	"encoding/json"
	"fmt"

	"vivra/app/tools"
)

// readKit picks what a site shows out of the approved kit and its direction.
func readKit(kitOutput, directionsOutput json.RawMessage) (kit tools.Kit, err error) {
	var made struct {
		Direction int               `json:"direction"`
		Logo      map[string]string `json:"logo"`
		OG        string            `json:"og_1200x630"`
	}
	if err := json.Unmarshal(kitOutput, &made); err != nil {
		return kit, fmt.Errorf("read kit: %w", err)
	}
	var all struct {
		Directions []struct {
			Palette []string `json:"palette"`
		} `json:"directions"`
	}
	if err := json.Unmarshal(directionsOutput, &all); err != nil {
		return kit, fmt.Errorf("read directions: %w", err)
	}
	kit = tools.Kit{Logo: made.Logo["512"], OG: made.OG, Favicon: made.Logo["64"]}
	if made.Direction < 0 || made.Direction >= len(all.Directions) {
		return kit, fmt.Errorf("read kit: there is no direction %d", made.Direction)
	}
	kit.Palette = all.Directions[made.Direction].Palette
	return kit, nil
}
