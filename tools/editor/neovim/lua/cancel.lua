-- Tells a language server that nobody waits for its answer any more: { client, request }.
return answer(function()
  local client = vim.lsp.get_client_by_id(args.client)
  if client then
    of_client(client, 'cancel_request', args.request)
  end
  return true
end)
