// Package plugintest tests implementations of the interfaces of package plugin: [RunIssues] an issue tracker, [RunDocuments] a
// plugin with an index, and [RunSource] a source that package external indexes.
//
// Each function runs sub-tests, which open the implementation anew with known content. The tests check the documented
// behaviour: results, limits, errors, cancellation, concurrent use and the end. A failure names the broken rule.
package plugintest
