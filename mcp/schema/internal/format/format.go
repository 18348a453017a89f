// Package format validates strings against the formats of JSON Schema (2020-12, validation, section
// 7.3). Each check takes linear time, or rejects strings over the maximum length of the format.
package format

// Named returns the check of a format, or nil if the format is not asserted.
func Named(name string) func(string) bool {
	switch name {
	case "date-time":
		return isDateTime
	case "date":
		return isDate
	case "time":
		return isTime
	case "duration":
		return isDuration
	case "period":
		return isPeriod
	case "uuid":
		return isUUID
	case "email":
		return isEmail
	case "hostname":
		return isHostname
	case "ipv4", "ip-address":
		return isIPv4
	case "ipv6":
		return isIPv6
	case "uri", "iri":
		return isURI
	case "uri-reference", "uriref", "iri-reference":
		return isURIReference
	case "uri-template":
		return isURITemplate
	case "json-pointer":
		return isPointer
	case "relative-json-pointer":
		return isRelativePointer
	case "regex":
		return isRegex
	}
	return nil
}

// Known returns the names of all formats that an author may use: the formats of Named, and formats
// of JSON Schema and OpenAPI that are annotations.
func Known() []string {
	return []string{
		"date-time", "date", "time", "duration", "period", "uuid", "email", "hostname", "ipv4", "ip-address", "ipv6", "uri", "iri",
		"uri-reference", "uriref", "iri-reference", "uri-template", "json-pointer", "relative-json-pointer", "regex",
		"idn-email", "idn-hostname", "byte", "binary", "password",
	}
}

// Meaning returns the description of a format for messages.
func Meaning(name string) string {
	switch name {
	case "date-time":
		return `a date-time such as "2006-01-02T15:04:05Z"`
	case "date":
		return `a date such as "2006-01-02"`
	case "time":
		return `a time such as "15:04:05Z"`
	case "duration":
		return `an ISO 8601 duration such as "PT1M30S"`
	case "email":
		return "an e-mail address"
	case "uri":
		return "an absolute URI"
	case "uri-reference":
		return "a URI or relative reference"
	case "uuid":
		return "a UUID"
	case "ipv4":
		return "an IPv4 address"
	case "ipv6":
		return "an IPv6 address"
	case "hostname":
		return "a host name"
	case "regex":
		return "a regular expression (RE2 syntax)"
	}
	return "a valid " + name
}
