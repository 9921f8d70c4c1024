translator int < int *p > { };
BEGIN { }
