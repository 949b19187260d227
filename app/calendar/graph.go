package calendar

import (
	"slices"
	"time"
)

// checkGraph reports what the rows say of each other and can't be: a name
// twice, an unknown step, a cycle.
func checkGraph(rows []Row, fault func(line int, format string, args ...any)) {
	lines := make(map[string]int)
	needs := make(map[string][]string)
	anyDay := time.Unix(0, 0).UTC()
	for _, row := range rows {
		for _, at := range row.due.instants(anyDay) {
			key := at.fill(row.Key)
			if first, twice := lines[key]; twice {
				fault(row.line, "%s is already on line %d", key, first)
				continue
			}
			lines[key] = row.line
			needs[key] = slices.Concat(at.fillAll(row.DependsOn), at.fillAll(row.After))
		}
	}
	for _, row := range rows {
		for _, at := range row.due.instants(anyDay) {
			key := at.fill(row.Key)
			for _, need := range needs[key] {
				if _, known := lines[need]; !known {
					fault(row.line, "%s waits for %s, which is not in the calendar", key, need)
				}
			}
		}
	}
	const visiting, visited = 1, 2
	state := make(map[string]int)
	var visit func(key string)
	visit = func(key string) {
		state[key] = visiting
		for _, need := range needs[key] {
			switch state[need] {
			case visiting:
				fault(lines[key], "%s and %s wait for each other", key, need)
			case 0:
				visit(need)
			}
		}
		state[key] = visited
	}
	for _, row := range rows {
		for _, at := range row.due.instants(anyDay) {
			if key := at.fill(row.Key); state[key] == 0 {
				visit(key)
			}
		}
	}
}
