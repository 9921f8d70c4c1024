enum colour { RED };
BEGIN { }
