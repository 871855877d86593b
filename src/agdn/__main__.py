from agdn.cli import main

main()
