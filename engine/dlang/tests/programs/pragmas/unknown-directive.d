#nosuch x
BEGIN { }
