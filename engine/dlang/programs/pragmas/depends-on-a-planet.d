#pragma D depends_on planet Mars
BEGIN { }
