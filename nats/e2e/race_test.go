//go:build race

package e2e_test

func init() { raceFlag = []string{"-race"} }
