# Prints the functions and macros of Elixir files by Elixir's parser: name, first line, last line and file, separated by tabs.
# Clauses in a row are one function. A clause without "end" ends with the last line of its tokens; one with a literal of several lines is left out.
defmodule Truth do
  @words [:def, :defp, :defmacro, :defmacrop]

  def run(file) do
    with {:ok, text} <- File.read(file),
         {:ok, tree} <- Code.string_to_quoted(text, token_metadata: true, columns: true, literal_encoder: &{:ok, {:__block__, &2, [&1]}}) do
      IO.puts("-\t0\t0\t#{file}")
      {_, found} = Macro.prewalk(tree, [], &visit/2)
      for {name, first, last} <- Enum.reverse(found), do: IO.puts("#{name}\t#{first}\t#{last}\t#{file}")
    end
  end

  defp visit({word, meta, [head | rest]} = node, found) when word in @words do
    case {name(head), meta[:end], last(rest)} do
      {nil, _, _} -> {node, found}
      {name, nil, last} when is_integer(last) -> {node, [{name, meta[:line], last} | found]}
      {_, nil, _} -> {node, found}
      {name, last, _} -> {node, [{name, meta[:line], last[:line]} | found]}
    end
  end

  defp visit(node, found), do: {node, found}

  defp name({:when, _, [head | _]}), do: name(head)
  defp name({:unquote, _, _}), do: nil
  defp name({name, _, args}) when is_atom(name) and (is_list(args) or is_nil(args)), do: name
  defp name(_), do: nil

  # The last line of a tree; nil without one, or if a string has several lines.
  defp last([]), do: nil

  defp last(tree) do
    {_, {line, certain}} =
      Macro.prewalk(tree, {0, true}, fn
        {_, meta, args} = node, {line, certain} when is_list(meta) ->
          lines = for m <- [meta, meta[:closing], meta[:end], meta[:end_of_expression]], is_list(m), m[:line], do: m[:line]
          text? = match?([text] when is_binary(text), args) and String.contains?(hd(args), "\n") or meta[:delimiter] in ["\"\"\"", "'''"]
          {node, {Enum.max([line | lines]), certain and not text?}}

        node, acc ->
          {node, acc}
      end)

    if certain and line > 0, do: line
  end
end

IO.stream(:stdio, :line) |> Enum.each(&Truth.run(String.trim_trailing(&1, "\n")))
