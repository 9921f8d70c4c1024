# "x"
BEGIN { }
