package oauth

// BrowserCommand is how a page is opened on a system.
var BrowserCommand = browser
