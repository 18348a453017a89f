package oauth

// BrowserCommand exports browser for tests.
var BrowserCommand = browser
