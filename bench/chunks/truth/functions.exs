# Prints the functions and macros of Elixir files by Elixir's parser: name, first line, last line and file, separated by tabs.
# Clauses in a row are one function.
defmodule Truth do
  @words [:def, :defp, :defmacro, :defmacrop]

  def run(file) do
    with {:ok, text} <- File.read(file),
         {:ok, tree} <- Code.string_to_quoted(text, token_metadata: true, columns: true) do
      IO.puts("-\t0\t0\t#{file}")
      {_, found} = Macro.prewalk(tree, [], &visit/2)
      for {name, first, last} <- Enum.reverse(found), do: IO.puts("#{name}\t#{first}\t#{last}\t#{file}")
    end
  end

  defp visit({word, meta, [head | _]} = node, found) when word in @words do
    case {name(head), meta[:end]} do
      {nil, _} -> {node, found}
      {_, nil} -> {node, found}
      {name, last} -> {node, [{name, meta[:line], last[:line]} | found]}
    end
  end

  defp visit(node, found), do: {node, found}

  defp name({:when, _, [head | _]}), do: name(head)
  defp name({:unquote, _, _}), do: nil
  defp name({name, _, args}) when is_atom(name) and (is_list(args) or is_nil(args)), do: name
  defp name(_), do: nil
end

IO.stream(:stdio, :line) |> Enum.each(&Truth.run(String.trim_trailing(&1, "\n")))
