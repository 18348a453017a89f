# Prints the functions of R files that an assignment at the top of the file names, by R's parser: name, first line, last line
# and file, separated by tabs.
for (file in readLines(file("stdin"))) {
  parsed <- tryCatch(parse(file, keep.source = TRUE), error = function(e) NULL)
  if (is.null(parsed)) next
  cat("-", 0, 0, file, sep = "\t")
  cat("\n")
  refs <- attr(parsed, "srcref")
  for (i in seq_along(parsed)) {
    e <- parsed[[i]]
    assigns <- is.call(e) && length(e) == 3 && as.character(e[[1]])[1] %in% c("<-", "=", "<<-")
    if (assigns && is.name(e[[2]]) && is.call(e[[3]]) && identical(e[[3]][[1]], as.name("function"))) {
      cat(as.character(e[[2]]), refs[[i]][1], refs[[i]][3], file, sep = "\t")
      cat("\n")
    }
  }
}
