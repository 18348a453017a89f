if True:
	def tabs():
		if 1:
			pass
        
	def more():
	    return 1
class AfterFormFeed:
  x = 1

  def m(self):
        return 2



# end
def crlf():
    """doc
    """
    x = "a\
b"
    return 1

def last(): pass