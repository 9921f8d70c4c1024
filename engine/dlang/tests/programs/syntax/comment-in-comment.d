/* one /* two */
BEGIN { }
