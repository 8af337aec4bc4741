"""`kg completion`: the completion script for a shell."""

from __future__ import annotations

import click


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion_command(ctx: click.Context, shell: str) -> None:
    """Print the script that completes commands and names of entities in SHELL.

    \b
    bash:  kg completion bash >> ~/.bashrc
    zsh:   kg completion zsh >> ~/.zshrc
    fish:  kg completion fish > ~/.config/fish/completions/kg.fish
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    if kind is not None:
        click.echo(kind(ctx.find_root().command, {}, "kg", "_KG_COMPLETE").source())
