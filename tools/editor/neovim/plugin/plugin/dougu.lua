-- Announces this Neovim to servers of Dougu once it has started. vim.g.loaded_dougu = 1 in the init file prevents that.
if vim.g.loaded_dougu then
  return
end
vim.g.loaded_dougu = 1
if vim.fn.has('nvim-0.7') == 0 then
  return
end

local function start()
  require('dougu').setup()
end

if vim.v.vim_did_enter == 1 then
  start()
else
  vim.api.nvim_create_autocmd('VimEnter', { once = true, callback = start })
end
