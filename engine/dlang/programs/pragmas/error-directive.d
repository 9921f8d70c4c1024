#error no
BEGIN { }
