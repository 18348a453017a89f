// Package specification tests the strict profiles of the programs against the specifications that they implement. Each file in
// testdata holds one specification as a table, whose rows name tools, parameters, result members, error codes, audit
// values, settings, events, log records and limits, with the section that states them. A row without a check fails the test.
//
// No check fails because a machine is slow. A promised response time is a row of the kind measured, which names the benchmark for it. A row
// of the kind tested names a unit test, mostly one with an injected clock.
package specification
