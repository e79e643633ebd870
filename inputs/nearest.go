package inputs

import "strings"

// Nearest is the name among names that was most likely meant by name, or "" where none is near: letter case and two
// slips of the finger (three in long names) are forgiven.
func Nearest(name string, names []string) string {
	most := 2
	if len(name) > 12 {
		most = 3
	}
	if len(name) > 64 {
		return ""
	}
	best, nearest := most+1, ""
	for _, candidate := range names {
		if strings.EqualFold(candidate, name) {
			return candidate
		}
		far := distance(strings.ToLower(name), strings.ToLower(candidate))
		if far < best && far < len(candidate) {
			best, nearest = far, candidate
		}
	}
	return nearest
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
