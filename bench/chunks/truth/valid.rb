# Prints for each line of the input, a JSON list of a language and a text, whether the text is Ruby.
require "json"
$stdout.sync = true
STDIN.each_line do |line|
  begin
    RubyVM::AbstractSyntaxTree.parse(JSON.parse(line)[1])
    puts "true"
  rescue SyntaxError, ArgumentError
    puts "false"
  end
end
