#pragma D option quiet

BEGIN
{
	@["one"] = sum(1);
	@["two"] = sum(2);
	setopt("aggsortrev");
	exit(0);
}
